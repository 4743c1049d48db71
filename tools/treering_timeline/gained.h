#pragma once

#include "base/clock.h"

namespace treering::tools {

/// Sums what a delay gains from one operation to the next. Twenty operations that are all 50 ms late have lost 50 ms
/// once, not twenty times; one that catches up and falls back again has lost twice. Wobbling below `noise` counts for
/// nothing.
class Gained {
 public:
  static constexpr Nanoseconds noise = 200'000;

  void add(Nanoseconds delay) {
    if (delay < 0) delay = 0;
    if (delay > level_ + noise) {
      total_ += delay - level_;
      level_ = delay;
    } else if (delay < level_) {
      level_ = delay;
    }
  }
  Nanoseconds total() const { return total_; }

 private:
  Nanoseconds level_ = 0;
  Nanoseconds total_ = 0;
};

}  // namespace treering::tools
