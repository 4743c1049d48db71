#pragma once

#include <vector>

#include "tools/treering_timeline/join.h"

namespace treering::tools {

/// One turn of the training loop.
struct Step {
  std::uint32_t number = 0;
  Interval when;                          ///< from the end of the one before, or its first hand-over, to its last end
  std::vector<std::uint32_t> operations;  ///< indices into `Joined::operations`
};

/// Splits a run into steps. If the first rank's program marked or scoped "step", these are the steps, and operations
/// belong to the one in which that rank handed them over. Else they follow from the names that come back: the n-th
/// request of each of them belongs to step n; the names are those that were requested as often as most were. A run in
/// which no name comes back is one step.
std::vector<Step> find_steps(const Joined& joined);

}  // namespace treering::tools
