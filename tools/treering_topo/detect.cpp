#include "tools/treering_topo/detect.h"

#include <hwloc.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>

#include "base/parse_value.h"
#include "device/nvml.h"
#include "engine/gpu_view.h"
#include "tools/treering_topo/command.h"
#include "topology/read/text_scan.h"

namespace treering::tools {
namespace {

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, Destroy>;

Topology load() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  Topology topology(raw);
  hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  return hwloc_topology_load(raw) == 0 ? std::move(topology) : nullptr;
}

topology::ReadResult ask_hwloc(topology::ReadOptions options) {
  topology::ReadResult failed;
  const Topology host = load();
  char* text = nullptr;
  int length = 0;
  if (!host || hwloc_topology_export_xmlbuffer(host.get(), &text, &length, 0) != 0) {
    failed.warnings.push_back(std::string("hwloc cannot read this machine: ") + std::strerror(errno));
    return failed;
  }
  options.origin = topology::Origin::hwloc;
  const std::string xml(text, std::strlen(text));  // `length` counts the final zero in some versions
  hwloc_free_xmlbuffer(host.get(), text);
  return topology::read_topology(xml, "this machine", options);
}

topology::ReadResult ask_nvml(topology::ReadOptions options) { return graph_of(device::survey_by_nvml(), options); }

topology::ReadResult ask_cuda(topology::ReadOptions options) { return graph_of(device::cuda_peer_ranks(), options); }

/// A driver that hangs is a known illness, so there is a limit.
topology::ReadResult ask_nvidia_smi(topology::ReadOptions options) {
  topology::ReadResult result;
  const CommandResult answer =
      run_command({"nvidia-smi", "topo", "-m"}, std::chrono::seconds(10), std::size_t{1} << 20);
  if (!answer.found) return result;
  if (!answer.trouble.empty()) {
    const std::string_view all = topology::trimmed(answer.output);
    const std::string_view first = all.substr(0, all.find('\n'));
    result.warnings.push_back("'nvidia-smi topo -m' is not used: " + answer.trouble +
                              (first.empty() ? "" : "; it says " + quoted(first)));
    return result;
  }
  options.origin = topology::Origin::command;
  return topology::read_topology(answer.output, "nvidia-smi topo -m", options);
}

}  // namespace

topology::ReadResult detect_machine(const topology::ReadOptions& options) {
  using Ask = topology::ReadResult (*)(topology::ReadOptions);
  constexpr Ask sources[] = {ask_nvml, ask_nvidia_smi, ask_cuda, ask_hwloc};
  std::vector<std::string> warnings;
  topology::ReadResult answer;
  for (const Ask ask : sources) {
    answer = ask(options);
    warnings.insert(warnings.end(), answer.warnings.begin(), answer.warnings.end());
    if (answer.graph) break;
  }
  answer.warnings = std::move(warnings);
  return answer;
}

}  // namespace treering::tools
