#pragma once

#include "topology/read/read.h"

namespace treering::tools {

/// This machine as hwloc sees it: NUMA domains with their cores and caches, PCIe, GPUs and NICs. Without a graph, the
/// warnings say why.
topology::ReadResult detect_host(const topology::ReadOptions& options);

}  // namespace treering::tools
