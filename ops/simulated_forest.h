#pragma once

#include <cstdint>

#include "ops/simulator.h"
#include "topology/build/forest.h"

namespace treering::ops {

struct ForestRun {
  Simulation simulation;
  int shares = 0;
  std::uint64_t chunk_bytes = 0;
};

/// An allreduce of floats on one node along the forest's trees, by the plan and the size of chunks that are fastest:
/// one equal share per member, or every tree as often as its weight says, if that makes no more than 128 shares.
ForestRun simulate_forest(const topology::LinkGraph& graph, const topology::Forest& forest, std::uint64_t bytes,
                          const topology::CostConstants& constants, bool exact_shares = false);

}  // namespace treering::ops
