#pragma once

#include "topology/read/read.h"

namespace treering::tools {

/// This machine as nvidia-smi sees it if there is one and it works, else as hwloc does: NUMA domains with their cores
/// and caches, PCIe, GPUs and NICs. A source that fails costs one warning and the next is asked. Without a graph, the
/// warnings say why.
topology::ReadResult detect_machine(const topology::ReadOptions& options);

}  // namespace treering::tools
