#pragma once

#include <vector>

#include "tools/treering_timeline/step_table.h"

namespace treering::tools {

/// How late one rank was in one step, against the median of the others.
struct LateLoss {
  Nanoseconds lost = 0;         ///< gained by its readiness
  Nanoseconds by_program = 0;   ///< gained by its hand-overs alone; the rest is its engine's
  Nanoseconds longest = 0;      ///< the worst single operation
  std::uint32_t operation = 0;  ///< the one at which it lost most against the one before
  std::uint32_t last = 0;       ///< operations at which it was the last
};

/// By place in `Run::ranks`. Empty if there are no others to compare with.
std::vector<LateLoss> late_losses(const StepTable& table);

}  // namespace treering::tools
