#pragma once

#include <vector>

#include "topology/hardware/graph.h"

namespace treering::topology {

/// Class of the best path between each two of `nodes`, row-major. Links between GPUs beat what a source states, because
/// nvidia-smi names the class of the PCIe path only; stated classes beat what the PCIe tree says.
std::vector<PathClass> path_classes(const HardwareGraph& graph, const std::vector<int>& nodes);

/// Whether data gets from the first of `nodes` to all others over GPU links, passing through switches and `nodes` only.
bool joined_by_gpu_links(const HardwareGraph& graph, const std::vector<int>& nodes);

/// NVLink, XGMI and plain direct links, as opposed to what shares PCIe and CPU buses.
bool is_gpu_link(const HardwareGraph& graph, const HardwareLink& link);

}  // namespace treering::topology
