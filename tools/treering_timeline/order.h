#pragma once

#include <vector>

#include "tools/treering_timeline/step_table.h"

namespace treering::tools {

/// What one rank's own order of hand-overs costs in one step.
struct OrderLoss {
  std::size_t rank = 0;
  double turned = 0;            ///< part of all pairs of operations that it has the other way round; 1 is reversed
  Nanoseconds lost = 0;         ///< how much earlier the operations could have been ready everywhere
  std::uint32_t operation = 0;  ///< the one that was held up longest
};

/// Ranks that hand over in an order that differs from what the others agree on, and how much that holds up. Their rows
/// of `table` are then as if they had kept their times and taken the others' order, so that the same wait is not blamed
/// on them twice.
std::vector<OrderLoss> correct_orders(StepTable& table);

}  // namespace treering::tools
