#pragma once

#include <vector>

#include "tools/treering_timeline/join.h"
#include "tools/treering_timeline/steps.h"
#include "tools/treering_timeline/traffic.h"

namespace treering::tools {

/// What held tensors up in one step after all ranks were ready with them. Times of the median rank.
struct MoveLoss {
  Nanoseconds overhead = 0;  ///< ready everywhere, but neither this nor anything else moves: agreeing and starting
  std::uint32_t overhead_operation = 0;
  Nanoseconds huge = 0;  ///< the life after agreement of one tensor that outweighs all others
  std::uint32_t huge_operation = 0;
  std::uint64_t huge_bytes = 0;
  double huge_part = 0;     ///< of the step's bytes
  Nanoseconds network = 0;  ///< batches were between nodes, other than the huge tensor's
  std::uint32_t network_operation = 0;
  Nanoseconds moving = 0;  ///< batches ran
};

MoveLoss move_loss(const Joined& joined, const Step& step, const std::vector<Busy>& busy);

}  // namespace treering::tools
