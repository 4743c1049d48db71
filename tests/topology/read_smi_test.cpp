#include <doctest/doctest.h>

#include "tests/topology/read_support.h"
#include "topology/hardware/path_class.h"

namespace treering::topology {
namespace {

PathClass path_between(const HardwareGraph& graph, const char* a, const char* b) {
  return path_classes(graph, {graph.find(a), graph.find(b)})[1];
}

std::string all_pairs(int gpus, const std::string& cell) {
  std::string text = "\t";
  for (int i = 0; i < gpus; ++i) text += "GPU" + std::to_string(i) + "\t";
  text += "CPU Affinity\tNUMA Affinity\n";
  for (int i = 0; i < gpus; ++i) {
    text += "GPU" + std::to_string(i) + "\t";
    for (int j = 0; j < gpus; ++j) text += (i == j ? " X " : cell) + "\t";
    text += "0-63\tN/A\n";
  }
  return text;
}

TEST_CASE("rows with more links than a GPU has mean switches") {
  const auto switched = [](int gpus, const std::string& cell, int links_per_gpu = 0) {
    ReadOptions options;
    options.links_per_gpu = links_per_gpu;
    const ReadResult result = read_text(all_pairs(gpus, cell), options);
    REQUIRE(result.graph);
    const Projection projection = project_all(*result.graph);
    return projection.links.vertices > projection.links.members;
  };
  CHECK(switched(16, "NV6"));
  CHECK(switched(8, "NV12"));
  CHECK(switched(3, "NV18"));
  CHECK_FALSE(switched(4, "NV4"));
  CHECK_FALSE(switched(4, "NV6"));
  CHECK_FALSE(switched(2, "NV12"));
  CHECK_FALSE(switched(3, "NV6"));
  CHECK(switched(3, "NV6", 6));
}

TEST_CASE("behind switches every GPU has its own links once") {
  const ReadResult result = read_text(all_pairs(8, "NV12"));
  const Projection projection = project_all(*result.graph);
  REQUIRE(projection.links.vertices == 9);
  for (int gpu = 0; gpu < 8; ++gpu) {
    CHECK(projection.links.at(gpu, 8) == 12);
    CHECK(projection.links.at(8, gpu) == 12);
    for (int other = 0; other < 8; ++other) CHECK(projection.links.at(gpu, other) == 0);
  }
  CHECK(projection.links.bytes_per_second == 25e9);
}

TEST_CASE("PCIe classes become a tree of switches and CPUs") {
  const ReadResult result = read_text(
      "      GPU0 GPU1 GPU2 GPU3 NIC0 CPU_Affinity NUMA_Affinity GPU_NUMA_ID\n"
      "GPU0  X    PIX  PXB  SYS  PHB  0-7,16-23    0-1           N/A\n"
      "GPU1  PIX  X    PXB  SYS  PHB  0-7,16-23    0-1           N/A\n"
      "GPU2  PXB  PXB  X    SYS  NODE 0-7,16-23    0-1           N/A\n"
      "GPU3  SYS  SYS  SYS  X    SYS  N/A          N/A           N/A\n"
      "NIC0  PHB  PHB  NODE SYS  X\n\n"
      "NIC Legend:\n\n  NIC0: mlx5_0\n");
  REQUIRE(result.graph);
  CHECK(result.warnings.empty());
  const HardwareGraph& graph = *result.graph;
  CHECK(path_between(graph, "GPU0", "GPU1") == PathClass::pix);
  CHECK(path_between(graph, "GPU2", "GPU1") == PathClass::pxb);
  CHECK(path_between(graph, "GPU2", "NIC0") == PathClass::node);
  CHECK(path_between(graph, "GPU3", "GPU0") == PathClass::sys);
  CHECK(graph.of_kind(NodeKind::cpu).size() == 2);
  CHECK(graph.of_kind(NodeKind::pci_switch).size() == 2);
  const auto parent = [&](const char* name) { return graph.node(graph.find(name)).parent; };
  CHECK(parent("GPU0") == parent("GPU1"));
  CHECK(graph.node(parent("GPU0")).parent == parent("GPU2"));
  CHECK(graph.node(parent("GPU2")).parent == parent("NIC0"));
  CHECK(parent("GPU3") != parent("NIC0"));
  CHECK(graph.node(graph.find("GPU0")).detail == "cores 0-7,16-23");
  CHECK(project_all(graph).links.unit == "MB/s");
}

TEST_CASE("a cut-off output is completed from the other half") {
  const std::string whole = fixture("dgx1v.smi.txt");
  const std::size_t row7 = whole.find("GPU7\t", whole.find("GPU6\tSYS"));
  REQUIRE(row7 != std::string::npos);
  const ReadResult result = read_text(whole.substr(0, row7));
  REQUIRE(result.graph);
  CHECK(capacities(project_all(*result.graph).links) ==
        capacities(project_all(*read_fixture("dgx1v.smi.txt").graph).links));
  const ReadResult little = read_text(whole.substr(0, whole.find("GPU5\t", whole.find("GPU4\tNV2"))));
  REQUIRE(little.graph);
  CHECK(warned(little, "3 pairs of GPUs"));
  CHECK(project_all(*little.graph).links.members == 8);
}

TEST_CASE("contradictions take the worse and say so") {
  const ReadResult result = read_text("\tGPU0\tGPU1\tGPU2\nGPU0\tX\tNV2\tPIX\nGPU1\tNV1\tX\tSYS\nGPU2\tSYS\tSYS\tX\n");
  REQUIRE(result.graph);
  CHECK(result.warnings.size() == 2);
  CHECK(warned(result, "GPU1 and GPU0 disagree"));
  CHECK(result.graph->between(0, 1)->count == 1);
  CHECK(path_between(*result.graph, "GPU0", "GPU2") == PathClass::sys);
}

TEST_CASE("columns that nvidia-smi does not print are left out with a warning") {
  const ReadResult result = read_text(
      "      GPU0 GPU1 own_CPU socket\n"
      "GPU0  X    NV2  NV2     0\n"
      "GPU1  NV2  X    NV2     0\n");
  REQUIRE(result.graph);
  CHECK(warned(result, "own_CPU"));
  CHECK(warned(result, "socket"));
  CHECK(result.graph->of_kind(NodeKind::nic).empty());
  CHECK(result.graph->between(0, 1)->count == 2);
}

TEST_CASE("a second table and unreadable cells do no harm") {
  const ReadResult result = read_text(
      "\tGPU0\tGPU1\tNIC0\nGPU0\tX\tNV4\t?\nGPU1\tNV4\tX\tWAT\n# access\n\tGPU0\tGPU1\nGPU0\tX\tCNS\nGPU1\tCNS\tX\n");
  REQUIRE(result.graph);
  CHECK(result.graph->between(0, 1)->count == 4);
  const ReadResult odd = read_text("\tGPU0\tGPU1\nGPU0\tX\tNV999\nGPU1\tNV1\tX\n");
  CHECK(warned(odd, "NV999"));
}

TEST_CASE("one GPU alone is a machine") {
  const ReadResult result = read_text("\tGPU0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \t0-7\t\tN/A\n");
  REQUIRE(result.graph);
  CHECK(result.graph->devices().size() == 1);
  CHECK(project_all(*result.graph).links.members == 1);
}

TEST_CASE("titles without rows, double titles and too many columns are refused") {
  CHECK(warned(read_text("\tGPU0\tGPU1\n"), "no row"));
  CHECK(warned(read_text("GPU0 GPU0\nGPU0 X X\n"), "two columns"));
  CHECK_FALSE(read_text(all_pairs(200, "SYS")).graph);
}

}  // namespace
}  // namespace treering::topology
