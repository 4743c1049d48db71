#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/clock.h"

namespace treering::timeline {

/// Tells whether a span lies inside, around or beside each earlier one of its row, as viewers demand of complete ("X")
/// events. Spans come in the order of their ends, as they do when each is recorded when it is over. Bounded in memory:
/// where too much has been forgotten to know, the answer is no.
class Nesting {
 public:
  bool accepts(Nanoseconds begin, Nanoseconds end) {
    if (end < latest_end_ || begin < forgotten_) return false;
    std::size_t kept = outer_.size();
    while (kept > 0 && outer_[kept - 1].begin >= begin) --kept;  // these lie inside the new one
    if (kept > 0 && outer_[kept - 1].end > begin) return outer_[kept - 1].end == end;
    outer_.resize(kept);
    if (outer_.size() == most) forget_half();
    outer_.push_back({begin, end});
    latest_end_ = end;
    return true;
  }

 private:
  struct Span {
    Nanoseconds begin = 0;
    Nanoseconds end = 0;
  };

  void forget_half() {
    forgotten_ = outer_[most / 2 - 1].end;
    outer_.erase(outer_.begin(), outer_.begin() + most / 2);
  }

  static constexpr std::ptrdiff_t most = 1024;
  std::vector<Span> outer_;  ///< spans that no other contains, side by side
  Nanoseconds latest_end_ = 0;
  Nanoseconds forgotten_ = 0;
};

}  // namespace treering::timeline
