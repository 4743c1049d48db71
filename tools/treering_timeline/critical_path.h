#pragma once

#include "tools/treering_timeline/join.h"
#include "tools/treering_timeline/steps.h"

namespace treering::tools {

/// What the end of a step waited for, one after the other: the rank that was last with the operation that ended last.
struct CriticalPath {
  std::uint32_t name = 0;  ///< that operation's tensor
  int last_rank = -1;      ///< who was ready last; -1: the path is not known
  int end_rank = -1;       ///< where it ended last
  // Each part begins where the one before ends, the first at the step's begin.
  Nanoseconds others = 0;       ///< end of the programs' common part: the median of the others was ready
  Nanoseconds handed_over = 0;  ///< ... of what the last rank's program took longer
  Nanoseconds ready = 0;        ///< ... of its engine's
  Nanoseconds agreed = 0;       ///< ... of agreeing
  Nanoseconds started = 0;      ///< ... of waiting for its batch
  Nanoseconds done = 0;         ///< ... of moving
};

CriticalPath critical_path(const Joined& joined, const Step& step);

}  // namespace treering::tools
