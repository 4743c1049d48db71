#include "engine/gpu_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "topology/hardware/usual_speeds.h"

namespace treering {
namespace {

const char* word_of(device::PciMeeting meeting) {
  switch (meeting) {
    case device::PciMeeting::same_board:
    case device::PciMeeting::one_switch: return "PIX";
    case device::PciMeeting::several_switches: return "PXB";
    case device::PciMeeting::host_bridge: return "PHB";
    case device::PciMeeting::numa_domain: return "NODE";
    case device::PciMeeting::system:
    case device::PciMeeting::unknown: break;
  }
  return "SYS";
}

/// As nvidia-smi would print it: its reader builds the PCIe tree that such classes need.
std::string table_of(const device::GpuSurvey& survey) {
  const std::size_t n = survey.gpus.size();
  std::string text;
  for (std::size_t i = 0; i < n; ++i) text += fmt::format("\tGPU{}", i);
  text += "\n";
  for (std::size_t i = 0; i < n; ++i) {
    text += fmt::format("GPU{}", i);
    for (std::size_t j = 0; j < n; ++j) {
      const int switched = std::min(survey.gpus[i].switch_links, survey.gpus[j].switch_links);
      const int links = std::min(survey.links[i * n + j], survey.links[j * n + i]);
      if (i == j)
        text += "\tX";
      else if (std::max(links, switched) > 0)
        text += fmt::format("\tNV{}", std::max(links, switched));
      else
        text += fmt::format("\t{}", word_of(survey.meeting[i * n + j]));
    }
    text += "\n";
  }
  return text;
}

}  // namespace

topology::ReadResult graph_of(const device::GpuSurvey& survey, topology::ReadOptions options) {
  topology::ReadResult result;
  if (!survey.problem.empty()) result.warnings.push_back(survey.problem);
  if (survey.gpus.empty()) return result;
  const auto switched = [](const device::SurveyedGpu& gpu) { return gpu.switch_links > 0; };
  const int architecture = std::ranges::min(survey.gpus, {}, &device::SurveyedGpu::architecture).architecture;
  options.origin = topology::Origin::command;
  if (options.link_speed == 0 && architecture > 0) options.link_speed = topology::nvlink_speed(architecture);
  // The reader guesses from the sum of a row whether there are switches; here it is known.
  options.links_per_gpu = std::ranges::any_of(survey.gpus, switched) ? 1 : topology::HardwareGraph::most_count;
  topology::ReadResult read = topology::read_topology(table_of(survey), "NVML", options);
  if (read.graph)
    for (const int gpu : read.graph->of_kind(topology::NodeKind::gpu)) {
      topology::HardwareNode& node = read.graph->node(gpu);
      const device::SurveyedGpu& seen = survey.gpus[static_cast<std::size_t>(node.number)];
      node.bus_id = seen.bus_id;
      node.architecture = seen.architecture;
      node.detail = seen.name;
    }
  result.warnings.insert(result.warnings.end(), read.warnings.begin(), read.warnings.end());
  result.graph = std::move(read.graph);
  result.format = read.format;
  return result;
}

topology::ReadResult graph_of(const device::PeerRanks& ranks, topology::ReadOptions options) {
  topology::ReadResult result;
  if (!ranks.problem.empty()) result.warnings.push_back(ranks.problem);
  const std::size_t n = ranks.bus_ids.size();
  if (n == 0 || ranks.rank.size() != n * n) return result;
  std::string text;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) text += std::to_string(ranks.rank[i * n + j]) + (j + 1 < n ? " " : "\n");
  options.origin = topology::Origin::command;
  options.matrix = topology::ReadOptions::Matrix::rank;
  topology::ReadResult read = topology::read_topology(text, "CUDA's order of paths", options);
  if (read.graph)
    for (const int gpu : read.graph->of_kind(topology::NodeKind::gpu))
      if (topology::HardwareNode& node = read.graph->node(gpu); node.number >= 0 && node.number < static_cast<int>(n))
        node.bus_id = ranks.bus_ids[static_cast<std::size_t>(node.number)];
  result.warnings.insert(result.warnings.end(), read.warnings.begin(), read.warnings.end());
  result.graph = std::move(read.graph);
  result.format = read.format;
  return result;
}

}  // namespace treering
