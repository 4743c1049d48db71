#pragma once

#include <array>
#include <vector>

#include "tools/treering_timeline/join.h"
#include "tools/treering_timeline/steps.h"
#include "tools/treering_timeline/traffic.h"

namespace treering::tools {

/// Where the median rank's time went in a median step. Each is a union: a moment counts once, however many tensors were
/// there.
struct StageTimes {
  Nanoseconds waiting = 0;   ///< a tensor was ready here, not everywhere
  Nanoseconds agreeing = 0;  ///< one was ready everywhere, which this rank did not know yet
  Nanoseconds starting = 0;  ///< one was agreed, its batch did not run yet
  Nanoseconds moving = 0;    ///< a batch ran; the stages below are parts of that and overlap
  std::array<Nanoseconds, stage_count> stages{};
};

StageTimes stages_of(const Joined& joined, const std::vector<Step>& steps, const std::vector<Busy>& busy);

}  // namespace treering::tools
