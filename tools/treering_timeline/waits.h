#pragma once

#include <array>
#include <vector>

#include "tools/treering_timeline/join.h"

namespace treering::tools {

/// How long ranks that were ready with a tensor waited until all were.
struct TensorWait {
  std::uint32_t name = 0;
  std::uint32_t count = 0;       ///< operations
  std::uint64_t bytes = 0;       ///< of one
  Nanoseconds waited = 0;        ///< by the median rank, over all operations
  Nanoseconds longest = 0;       ///< from the first rank's readiness to the last's
  int usually_last = -1;         ///< rank; -1: only one was recorded
  std::uint32_t last_count = 0;  ///< operations at which it was
};

struct Waits {
  std::vector<TensorWait> tensors;  ///< longest `waited` first
  /// [i]: how often a rank waited at least 2^i and less than 2^(i+1) microseconds; [0]: also less, the last: also more.
  std::array<std::size_t, 28> histogram{};
};

Waits waits_of(const Joined& joined);

}  // namespace treering::tools
