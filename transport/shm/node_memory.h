#pragma once

#include <string>
#include <vector>

#include "transport/fabric.h"
#include "transport/gather.h"
#include "transport/mapping.h"
#include "transport/segment.h"
#include "transport/shm/hand_over.h"

namespace treering::transport::shm {

/// What a rank holds of its node's shared memory.
struct NodeMemory {
  Mapping segment;
  std::vector<Mapping> heaps;              ///< by local rank; empty where somebody could not have it
  std::vector<MemberDescriptors> members;  ///< by local rank
};

struct NodeMemoryResult {
  NodeMemory memory;                     ///< complete only if this rank's node is not among the refused ones
  std::vector<std::string> node_reason;  ///< by node: why its memory cannot be shared; empty = it is
  std::string heap_reason;               ///< why some rank's heap of this node is missing, if one is
};

/// Collective over the job. Whether a node shares memory, and which of its heaps exist, is the same answer on every
/// rank; `layout` is that of this rank's node.
NodeMemoryResult share_node_memory(const World& world, const SegmentLayout& layout, const FabricOptions& options,
                                   const Gather& gather);

}  // namespace treering::transport::shm
