#include <doctest/doctest.h>

#include "tests/topology/read_support.h"
#include "topology/hardware/path_class.h"
#include "topology/hardware/usual_speeds.h"

namespace treering::topology {
namespace {

std::string nccl(const std::string& inside) {
  return "<system version=\"1\"><cpu numaid=\"0\">" + inside + "</cpu></system>";
}

std::string gpu(const char* bus, int number, const std::string& links, const char* sm = "80") {
  return std::string("<pci busid=\"") + bus +
         "\" class=\"0x030200\" link_speed=\"16.0 GT/s PCIe\" link_width=\"16\"><gpu dev=\"" + std::to_string(number) +
         "\" sm=\"" + sm + "\">" + links + "</gpu></pci>";
}

TEST_CASE("PCIe speeds are read by meaning, not by prefix") {
  CHECK(pcie_speed("8.0 GT/s PCIe", 16) == 15754);
  CHECK(pcie_speed("8 GT/s", 16) == 15754);
  CHECK(pcie_speed("16 GT/s", 8) == 15754);
  CHECK(pcie_speed("32 GT/s PCIe/s", 16) == 63015);
  CHECK(pcie_speed("5.0 GT/s PCIe", 4) == 2000);
  CHECK(pcie_speed("64.0 GT/s PCIe", 16) == 121000);
  for (const char* nothing : {"", "Unknown", "Unknown speed", "GT/s", "0 GT/s", "16", "1e9 GT/s", "8 MT/s"})
    CHECK_FALSE(pcie_speed(nothing, 16).has_value());
  CHECK_FALSE(pcie_speed("8 GT/s", 0).has_value());
}

TEST_CASE("bare PCI devices of a virtual machine become GPUs and NICs") {
  const ReadResult result = read_fixture("virtual.nccl.xml");
  REQUIRE(result.graph);
  CHECK(result.warnings.size() == 1);
  CHECK(warned(result, "no NVLink"));
  const HardwareGraph& graph = *result.graph;
  CHECK(graph.of_kind(NodeKind::gpu).size() == 4);
  CHECK(graph.of_kind(NodeKind::nic).size() == 2);
  CHECK(graph.of_kind(NodeKind::other).size() == 1);
  CHECK(graph.node(graph.find("eth0")).port_out == 3125);
  const auto up = [&](const char* name) {
    return graph.between(graph.find(name), graph.node(graph.find(name)).parent);
  };
  CHECK(up("GPU1")->capacity == 31508);
  CHECK(up("GPU2")->capacity == usual_pcie_speed);
  CHECK(graph.provenances()[static_cast<std::size_t>(up("GPU2")->speed)].origin == Origin::assumed);
  CHECK(graph.provenances()[static_cast<std::size_t>(up("GPU1")->speed)].origin == Origin::file);
  CHECK(graph.between(graph.find("CPU0"), graph.find("CPU1"))->capacity == 40000);
  const Projection projection = project_all(graph);
  CHECK(projection.names ==
        std::vector<std::string>{"GPU0", "GPU1", "GPU2", "GPU3", "pci:ffff:ff:01.0", "CPU0", "CPU1"});
  CHECK(projection.near_network == std::vector<int>{0, 1});
}

TEST_CASE("NVSwitches are one vertex, bridges of POWER lead to the CPU") {
  const std::string links =
      "<nvlink target=\"0000:60:00.0\" count=\"6\" tclass=\"0x068000\"/><nvlink target=\"0000:61:00.0\" count=\"6\" "
      "tclass=\"0x068000\"/>";
  const ReadResult result = read_text(nccl(gpu("0000:01:00.0", 0, links) + gpu("0000:02:00.0", 1, links)));
  REQUIRE(result.graph);
  const Projection projection = project_all(*result.graph);
  CHECK(projection.links.vertices == 3);
  CHECK(projection.links.at(0, 2) == 12);
  const std::string bridge = "<nvlink target=\"0005:00:00.0\" count=\"2\" tclass=\"0x068001\"/>";
  const ReadResult power =
      read_text("<system version=\"1\"><cpu numaid=\"0\" arch=\"ppc64\">" + gpu("0000:01:00.0", 0, bridge, "70") +
                gpu("0000:02:00.0", 1, bridge, "70") + "</cpu></system>");
  REQUIRE(power.graph);
  CHECK(power.graph->of_kind(NodeKind::nv_switch).empty());
  CHECK(power.graph->between(power.graph->find("GPU1"), power.graph->find("CPU0"))->capacity == 50000);
}

TEST_CASE("NVLinks that cannot be are left out, one-sided ones completed") {
  const ReadResult self = read_text(nccl(gpu("0001:00:00.0", 0, "<nvlink target=\"0001:00:00.0\" count=\"12\"/>")));
  CHECK(warned(self, "12 NVLinks lead from a GPU to itself"));
  const ReadResult lost = read_text(nccl(gpu("0001:00:00.0", 0, "<nvlink target=\"0009:00:00.0\" count=\"3\"/>")));
  CHECK(warned(lost, "3 NVLinks lead to devices that the file does not have"));
  const ReadResult half = read_text(nccl(gpu("0001:00:00.0", 0, "<nvlink target=\"0002:00:00.0\" count=\"4\"/>", "86") +
                                         gpu("0002:00:00.0", 1, "", "86")));
  REQUIRE(half.graph);
  CHECK(warned(half, "one end only"));
  CHECK(half.graph->between(half.graph->find("GPU1"), half.graph->find("GPU0"))->capacity == 4 * 14062);
}

TEST_CASE("XGMI and chip-to-chip links are read") {
  const ReadResult amd = read_text(nccl(gpu("0001:00:00.0", 0, "<xgmi target=\"0002:00:00.0\" count=\"1\"/>") +
                                        gpu("0002:00:00.0", 1, "<xgmi target=\"0001:00:00.0\" count=\"1\"/>")));
  REQUIRE(amd.graph);
  CHECK(project_all(*amd.graph).links.bytes_per_second == 50e9);
  const ReadResult grace = read_text(nccl(gpu("0001:00:00.0", 0, "<c2c bw=\"45000\" count=\"10\"/>")));
  REQUIRE(grace.graph);
  CHECK(grace.graph->between(grace.graph->find("GPU0"), grace.graph->find("CPU0"))->capacity > 400000);
}

TEST_CASE("files without marked GPUs, of several hosts or other versions say so") {
  CHECK(warned(read_text(nccl("<pci busid=\"0000:00:16.0\"/><pci busid=\"0000:00:17.0\"/>")),
               "no device is marked as a GPU (2"));
  CHECK(warned(
      read_text(
          "<system version=\"1\"><cpu host_hash=\"1\" numaid=\"0\"/><cpu host_hash=\"2\" numaid=\"0\"/></system>"),
      "several hosts"));
  CHECK(warned(read_text("<system version=\"7\"><cpu numaid=\"0\"/></system>"), "version \"7\""));
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "<pci busid=\"" + std::to_string(i) + "\">";
  for (int i = 0; i < 100; ++i) deep += "</pci>";
  CHECK(warned(read_text(nccl(deep)), "nested"));
}

TEST_CASE("hwloc bandwidth matrices give links, also to CPUs") {
  const ReadResult result = read_fixture("minsky.hwloc.xml");
  REQUIRE(result.graph);
  CHECK(result.warnings.empty());
  const HardwareGraph& graph = *result.graph;
  REQUIRE(graph.devices().size() == 4);
  const auto capacity = [&](const char* from, const char* to, LinkKind kind) {
    std::int64_t sum = 0;
    for (const HardwareLink& link : graph.links())
      if (link.from == graph.find(from) && link.to == graph.find(to) && link.kind == kind) sum += link.capacity;
    return sum;
  };
  CHECK(capacity("GPU0", "GPU1", LinkKind::nvlink) == 40000);
  CHECK(capacity("GPU2", "NUMA1", LinkKind::nvlink) == 40000);
  CHECK(capacity("GPU2", "NUMA0", LinkKind::nvlink) == 0);
  CHECK(capacity("GPU3", "NUMA1", LinkKind::pcie) == 7877);
  CHECK(graph.between(graph.find("GPU0"), graph.find("GPU1"))->count == 2);
  CHECK(graph.node(graph.find("NUMA1")).detail == "2 cores, 4 threads, 2 L3 of 8 MiB, 64 GiB");
}

TEST_CASE("hwloc's NVSwitch ports are merged and its bridges with one child are no switches") {
  const ReadResult result = read_fixture("switched.hwloc.xml");
  REQUIRE(result.graph);
  const HardwareGraph& graph = *result.graph;
  CHECK(graph.of_kind(NodeKind::nv_switch).size() == 1);
  CHECK(graph.of_kind(NodeKind::pci_switch).size() == 1);
  CHECK(graph.find("mlx5_0") >= 0);
  const Projection projection = project_all(graph);
  CHECK(projection.links.vertices == 5);
  for (int gpu = 0; gpu < 4; ++gpu) CHECK(projection.links.at(gpu, 4) == 4);
  CHECK(projection.near_network.size() == 4);
}

TEST_CASE("a distance matrix of the wrong size is refused") {
  std::string text = fixture("minsky.hwloc.xml");
  const std::size_t at = text.find(" Package:3");
  REQUIRE(at != std::string::npos);
  text.erase(at, 10);
  CHECK(warned(read_text(text), "36 values for 5 objects"));
}

}  // namespace
}  // namespace treering::topology
