#include <doctest/doctest.h>

#include "tests/topology/read_support.h"
#include "topology/hardware/path_class.h"
#include "topology/read/plain.h"

namespace treering::topology {
namespace {

const std::vector<std::string> same_machine{"dgx1v.matrix.txt", "dgx1v.smi.txt", "dgx1v.nccl.xml", "dgx1v.topo"};

TEST_CASE("four formats of one machine give the same links") {
  const auto expected = capacities(project_all(*read_fixture("dgx1v.matrix.txt").graph).links);
  std::int64_t sum = 0;
  for (const std::int64_t capacity : expected) sum += capacity;
  CHECK(sum == 48);  // 24 links in each direction
  for (const std::string& name : same_machine) {
    CAPTURE(name);
    const ReadResult result = read_fixture(name);
    REQUIRE(result.graph);
    CHECK(result.warnings.empty());
    const Projection projection = project_all(*result.graph);
    CHECK(projection.links.members == 8);
    CHECK(projection.links.vertices == 8);
    CHECK(projection.links.unit == "links");
    CHECK(capacities(projection.links) == expected);
  }
}

TEST_CASE("paths between GPUs do not depend on the format") {
  const ReadResult first = read_fixture("dgx1v.topo");
  const auto expected = path_classes(*first.graph, first.graph->devices());
  CHECK(expected[0 * 8 + 1] == PathClass::direct);
  CHECK(expected[0 * 8 + 5] == PathClass::via_gpu);
  CHECK(expected[7 * 8 + 7] == PathClass::self);
  for (const std::string& name : same_machine) {
    CAPTURE(name);
    const ReadResult result = read_fixture(name);
    CHECK(path_classes(*result.graph, result.graph->devices()) == expected);
  }
}

TEST_CASE("GPUs under the same switch as a NIC are near the network") {
  for (const char* name : {"dgx1v.smi.txt", "dgx1v.nccl.xml", "dgx1v.topo"}) {
    const ReadResult result = read_fixture(name);
    CHECK(project_all(*result.graph).near_network == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
  }
  CHECK(project_all(*read_fixture("dgx1v.matrix.txt").graph).near_network.empty());
}

TEST_CASE("every format survives being written as plain text and read again") {
  for (const char* name : {"dgx1v.matrix.txt", "dgx1v.smi.txt", "dgx1v.nccl.xml", "dgx1v.topo", "minsky.hwloc.xml",
                           "switched.hwloc.xml", "virtual.nccl.xml"}) {
    CAPTURE(name);
    const ReadResult first = read_fixture(name);
    REQUIRE(first.graph);
    const ReadResult second = read_text(plain_text(*first.graph));
    REQUIRE(second.graph);
    CHECK(second.format == Format::plain);
    CHECK(second.warnings.empty());
    CHECK(capacities(project_all(*second.graph).links) == capacities(project_all(*first.graph).links));
    CHECK(path_classes(*second.graph, second.graph->devices()) == path_classes(*first.graph, first.graph->devices()));
    CHECK(plain_text(*read_text(plain_text(*second.graph)).graph) == plain_text(*second.graph));
  }
}

TEST_CASE("formats are told apart by content") {
  CHECK(sniff("<?xml version='1.0'?><!-- <topology> --><system version='1'/>") == Format::nccl_xml);
  CHECK(sniff("<!DOCTYPE topology SYSTEM 'x'><topology/>") == Format::hwloc_xml);
  CHECK(sniff("<graphs version='1'>") == Format::nccl_graph);
  CHECK(sniff("<html>") == Format::unknown);
  CHECK(sniff("\xEF\xBB\xBF\n  {\"name\": 1}") == Format::json);
  CHECK(sniff("# remark\n\tGPU0\tGPU1\n") == Format::nvidia_smi);
  CHECK(sniff("\x1b[4mGPU0\tGPU1\x1b[0m\n") == Format::nvidia_smi);
  CHECK(sniff("# remark\r\n 0 1\r\n 1 0\r\n") == Format::matrix);
  CHECK(sniff("Machine (P#0 total=4GiB)\n  Package L#0") == Format::lstopo_console);
  CHECK(sniff("\n# x\ntreering-topology 1\n") == Format::plain);
  CHECK(sniff("NVIDIA-SMI has failed") == Format::unknown);
  CHECK(sniff("") == Format::unknown);
}

TEST_CASE("what holds no links is declined in one line that says what to give instead") {
  const std::pair<const char*, const char*> declined[] = {
      {"<graphs version='1'></graphs>", "NCCL_TOPO_DUMP_FILE"},
      {"{\"gpus_per_node\": 16}", "no links"},
      {"Machine (P#0 total=4GiB)\n", "--of xml"},
      {"bash: nvidia-smi: command not found\n", "command not found"},
      {"", "empty"},
      {" \n\t\n", "empty"},
      {"<system", "broken"},
      {"<topology></topology>", "names no device"},
      {"<system version=\"1\"></system>", "names no device"}};
  for (const auto& [text, part] : declined) {
    CAPTURE(text);
    const ReadResult result = read_text(text);
    CHECK_FALSE(result.graph);
    REQUIRE(!result.warnings.empty());
    CHECK(result.warnings.back().find(part) != std::string::npos);
    CHECK(result.warnings.back().find('\n') == std::string::npos);
    CHECK(result.warnings.back().starts_with("text is not used: "));
  }
}

TEST_CASE("every fact has a provenance, and guesses are called assumed") {
  const ReadResult result = read_fixture("dgx1v.smi.txt");
  const HardwareGraph& graph = *result.graph;
  const auto origin = [&](int index) { return graph.provenances().at(static_cast<std::size_t>(index)).origin; };
  for (const HardwareNode& node : graph.nodes())
    CHECK((origin(node.found) == Origin::assumed) == (node.kind == NodeKind::cpu));
  for (const HardwareLink& link : graph.links()) {
    CHECK((origin(link.found) == Origin::assumed) == (link.kind == LinkKind::cpu_bus));
    CHECK(origin(link.speed) == Origin::assumed);
  }
  const ReadResult stated = read_fixture("dgx1v.topo");
  for (const Provenance& provenance : stated.graph->provenances()) CHECK(provenance.origin == Origin::file);
}

}  // namespace
}  // namespace treering::topology
