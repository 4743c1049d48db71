#pragma once

#include "topology/read/read.h"

namespace treering::tools {

/// This machine as the first source sees it that can: NVML, nvidia-smi, CUDA's order of paths, hwloc (NUMA domains with
/// their cores and caches, PCIe, GPUs and NICs). A source that fails costs one warning and the next is asked; one that
/// is not installed costs nothing. Without a graph, the warnings say why.
topology::ReadResult detect_machine(const topology::ReadOptions& options);

}  // namespace treering::tools
