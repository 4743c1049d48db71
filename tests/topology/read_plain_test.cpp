#include <doctest/doctest.h>

#include "tests/topology/read_support.h"
#include "topology/read/text_scan.h"

namespace treering::topology {
namespace {

constexpr const char* two = "treering-topology 1\nnode a gpu number=0\nnode b gpu number=1\n";

TEST_CASE("speeds are read by meaning") {
  CHECK(to_speed("25000") == 25000);
  CHECK(to_speed("25GB/s") == 25000);
  CHECK(to_speed("12.5 GB/s") == 12500);
  CHECK(to_speed("200Gbit/s") == 25000);
  CHECK(to_speed("100Gb/s") == 12500);
  for (const char* wrong : {"", "fast", "-1", "0", "25 GB", "1e99", "nan", "25TB/s"})
    CHECK_FALSE(to_speed(wrong).has_value());
}

TEST_CASE("links are two-way unless they say otherwise") {
  const ReadResult result = read_text(
      std::string(two) + "link a b nvlink count=2 speed=20GB/s latency=700\nlink b a nvlink one-way speed=20GB/s\n");
  REQUIRE(result.graph);
  const Projection projection = project_all(*result.graph);
  CHECK(projection.links.at(0, 1) == 2);
  CHECK(projection.links.at(1, 0) == 3);
  CHECK(projection.links.bytes_per_second == 20e9);
  CHECK(result.graph->between(0, 1)->latency_ns == 700);
}

TEST_CASE("links of unequal speed are planned in MB/s") {
  const ReadResult result = read_text(
      "treering-topology 1\nnode a gpu\nnode b gpu\nnode c gpu\nlink a b nvlink speed=20000\nlink b c nvlink "
      "speed=30000\n");
  const Projection projection = project_all(*result.graph);
  CHECK(projection.links.unit == "MB/s");
  CHECK(projection.links.at(2, 1) == 30000);
}

TEST_CASE("port limits and shared domains become vertices that data passes through") {
  const ReadResult ports = read_text(
      "treering-topology 1\nnode a gpu out=30000 in=20000\nnode b gpu\nlink a b nvlink count=2 speed=25000\n");
  const Projection limited = project_all(*ports.graph);
  REQUIRE(limited.names == std::vector<std::string>{"a", "b", "a.port"});
  CHECK(limited.links.at(0, 2) == 30000);
  CHECK(limited.links.at(2, 0) == 20000);
  CHECK(limited.links.at(2, 1) == 50000);
  CHECK(limited.links.at(0, 1) == 0);

  const ReadResult shared = read_text(
      "treering-topology 1\nnode a gpu\nnode b gpu\nnode c gpu\ndomain bus 10GB/s\n"
      "link a b direct speed=8000 domain=bus\nlink a c direct speed=8000 domain=bus\n");
  const Projection bus = project_all(*shared.graph);
  REQUIRE(bus.names.size() == 5);
  CHECK(bus.links.at(3, 4) == 10000);
  CHECK(bus.links.at(4, 3) == 0);
  CHECK(bus.links.at(0, 3) == 16000);
  CHECK(bus.links.at(4, 1) == 8000);
  CHECK(bus.links.at(0, 1) == 0);
}

TEST_CASE("devices can be chosen, in any order; others forward nothing") {
  const ReadResult result = read_text(
      "treering-topology 1\nnode a gpu\nnode b gpu\nnode c gpu\nnode cpu0 cpu\nlink a b nvlink\nlink b c nvlink\nlink "
      "a cpu0 pcie speed=1000\nlink c cpu0 pcie speed=1000\nlink b cpu0 pcie speed=1000\n");
  const HardwareGraph& graph = *result.graph;
  const std::vector<int> reversed{graph.find("b"), graph.find("a")};
  const Projection two_of_them = project(graph, reversed);
  CHECK(two_of_them.names == std::vector<std::string>{"b", "a"});
  CHECK(two_of_them.links.at(0, 1) == 1);
  const std::vector<int> ends{graph.find("a"), graph.find("c")};
  const Projection apart = project(graph, ends);
  CHECK(apart.names == std::vector<std::string>{"a", "c", "cpu0"});
  CHECK(apart.links.at(0, 1) == 0);
  CHECK(apart.links.at(0, 2) == 1000);
  const std::vector<int> one{graph.find("c")};
  CHECK(project(graph, one).links.vertices == 1);
}

TEST_CASE("mistakes name the line and what was expected") {
  const std::pair<std::string, const char*> mistakes[] = {
      {"node x gpu\n", "line 1 comes before"},
      {"treering-topology 2\n", "version"},
      {"treering-topology\n", "version"},
      {std::string(two) + "node a gpu\n", "line 4 names \"a\" a second time"},
      {std::string(two) + "node c car\n", "expected gpu, nvswitch"},
      {std::string(two) + "node c gpu number=-3\n", "number"},
      {std::string(two) + "node c gpu colour=red\n", "\"colour\""},
      {std::string(two) + "node c gpu parent=z\n", "\"z\""},
      {std::string(two) + "link a a nvlink\n", "itself"},
      {std::string(two) + "link a z nvlink\n", "\"z\""},
      {std::string(two) + "link a b rope\n", "\"rope\""},
      {std::string(two) + "link a b\n", "should be"},
      {std::string(two) + "link a b nvlink speed=fast\n", "speed"},
      {std::string(two) + "link a b nvlink speed=999999 count=4096 domain=d\n", "\"d\""},
      {std::string(two) + "link a b nvlink count=2 count=2\n", "twice"},
      {std::string(two) + "domain d 5\ndomain d 5\n", "second time"},
      {std::string(two) + "class a b FAR\n", "\"FAR\""},
      {std::string(two) + "what is this\n", "\"what\""}};
  for (const auto& [text, part] : mistakes) {
    CAPTURE(text);
    const ReadResult result = read_topology(text, "x.topo", {});
    const bool plain = text.starts_with("treering");
    if (plain) CHECK_MESSAGE(warned(result, part), result.warnings.back());
    CHECK_FALSE(result.graph);
  }
}

TEST_CASE("a matrix must be square and of whole numbers") {
  CHECK(warned(read_text("0 1\n1\n"), "line 2 of the matrix has 1 numbers"));
  CHECK(warned(read_text("0 1.5\n1 0\n"), "\"1.5\""));
  CHECK(warned(read_text("0 -1\n-1 0\n"), "negative"));
  CHECK(warned(read_text("0 99999\n1 0\n"), "\"99999\""));
  CHECK(warned(read_text("3 1\n1 0\n"), "diagonal"));
  const ReadResult directed = read_text("0, 2\n1, 0 # comment\n");
  CHECK(warned(directed, "not symmetric"));
  CHECK(project_all(*directed.graph).links.at(0, 1) == 2);
  CHECK(project_all(*directed.graph).links.at(1, 0) == 1);
  std::string large;
  for (int i = 0; i < 200; ++i) large += "1 ";
  CHECK_FALSE(read_text(large).graph);
}

TEST_CASE("CUDA's performance rank is an order, and lower is better") {
  ReadOptions options;
  options.matrix = ReadOptions::Matrix::rank;
  // As CUDA 9.2 and later report a quad with double links 0-1: rank 0 the double link, 1 the single, -1 no peer access.
  const ReadResult result = read_text("0 0 1\n0 0 -1\n1 -1 0\n", options);
  REQUIRE(result.graph);
  const Projection projection = project_all(*result.graph);
  CHECK(projection.links.at(0, 1) == 2);
  CHECK(projection.links.at(0, 2) == 1);
  CHECK(projection.links.at(1, 2) == 0);
  CHECK(projection.links.unit == "weight");
  CHECK(warned(result, "order"));
  options.matrix = ReadOptions::Matrix::reversed_rank;
  const ReadResult old = read_text("0 2 1\n2 0 0\n1 0 0\n", options);
  CHECK(project_all(*old.graph).links.at(0, 1) == 3);
  CHECK(project_all(*old.graph).links.at(0, 2) == 2);
  CHECK(project_all(*old.graph).links.at(1, 2) == 1);
}

}  // namespace
}  // namespace treering::topology
