#include "engine/gpu_view.h"

#include <doctest/doctest.h>

#include "topology/hardware/path_class.h"
#include "topology/hardware/projection.h"

using namespace treering;
using device::GpuSurvey;
using device::PciMeeting;

namespace {

GpuSurvey survey(std::size_t gpus) {
  GpuSurvey result;
  for (std::size_t i = 0; i < gpus; ++i) result.gpus.push_back({"V100", "0000:0" + std::to_string(i) + ":00.0", 70, 0});
  result.links.assign(gpus * gpus, 0);
  result.meeting.assign(gpus * gpus, PciMeeting::system);
  return result;
}

topology::Projection projected(const topology::HardwareGraph& graph) {
  const std::vector<int> devices = graph.devices();
  return topology::project(graph, devices);
}

}  // namespace

TEST_CASE("gpu_view: NVLinks between GPUs, with what the generation makes of them") {
  GpuSurvey seen = survey(3);
  seen.links = {0, 2, 1, 2, 0, 0, 1, 0, 0};
  const topology::ReadResult read = graph_of(seen, {});
  REQUIRE(read.graph);
  CHECK(read.warnings.empty());
  const topology::Projection over = projected(*read.graph);
  CHECK(over.links.members == 3);
  CHECK(over.links.vertices == 3);
  CHECK(over.links.at(0, 1) == 2);
  CHECK(over.links.at(2, 0) == 1);
  CHECK(over.links.at(1, 2) == 0);
  CHECK(over.links.bytes_per_second == 25e9);
  const topology::HardwareNode& gpu = read.graph->node(read.graph->devices()[1]);
  CHECK(gpu.bus_id == "0000:01:00.0");
  CHECK(gpu.architecture == 70);
  CHECK(gpu.detail == "V100");
}

TEST_CASE("gpu_view: switches, PCIe only, one GPU, none, and problems") {
  GpuSurvey switched = survey(4);
  for (device::SurveyedGpu& gpu : switched.gpus) gpu.switch_links = 18;
  const topology::ReadResult hub = graph_of(switched, {});
  REQUIRE(hub.graph);
  CHECK(hub.graph->of_kind(topology::NodeKind::nv_switch).size() == 1);
  const topology::Projection over = projected(*hub.graph);
  CHECK(over.links.vertices == 5);
  CHECK(over.links.at(3, 4) == 18);

  GpuSurvey plain = survey(4);
  plain.meeting[1] = plain.meeting[4] = PciMeeting::one_switch;
  const topology::ReadResult tree = graph_of(plain, {});
  REQUIRE(tree.graph);
  const auto classes = topology::path_classes(*tree.graph, tree.graph->devices());
  CHECK(classes[1] == topology::PathClass::pix);
  CHECK(classes[2] == topology::PathClass::sys);

  REQUIRE(graph_of(survey(1), {}).graph);
  CHECK(graph_of(survey(1), {}).graph->devices().size() == 1);
  CHECK_FALSE(graph_of(GpuSurvey(), {}).graph);
  CHECK(graph_of(GpuSurvey(), {}).warnings.empty());
  GpuSurvey ill;
  ill.problem = "the driver is ill";
  CHECK(graph_of(ill, {}).warnings == std::vector<std::string>{"the driver is ill"});
}

TEST_CASE("gpu_view: CUDA's ranks are an order, lower is better, and no more") {
  device::PeerRanks ranks;
  ranks.bus_ids = {"a", "b", "c"};
  ranks.rank = {0, 0, 7, 0, 0, -1, 7, -1, 0};
  const topology::ReadResult read = graph_of(ranks, {});
  REQUIRE(read.graph);
  const topology::Projection over = projected(*read.graph);
  CHECK(over.links.at(0, 1) > over.links.at(0, 2));
  CHECK(over.links.at(0, 2) > 0);
  CHECK(over.links.at(1, 2) == 0);
  CHECK(over.links.bytes_per_second == 0);
  CHECK(read.graph->node(read.graph->devices()[2]).bus_id == "c");
  CHECK_FALSE(graph_of(device::PeerRanks(), {}).graph);
  ranks.rank.clear();
  ranks.problem = "no answer";
  CHECK_FALSE(graph_of(ranks, {}).graph);
  CHECK(graph_of(ranks, {}).warnings.size() == 1);
}
