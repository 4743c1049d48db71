#pragma once

#include <algorithm>
#include <chrono>

#include "base/clock.h"

namespace treering::transport {

/// A moment in real time, for waits at start and at the end.
class Deadline {
 public:
  explicit Deadline(std::chrono::nanoseconds from_now) : at_(RealClock().now() + from_now.count()) {}

  Nanoseconds left() const { return std::max<Nanoseconds>(at_ - RealClock().now(), 0); }
  bool passed() const { return left() == 0; }

 private:
  Nanoseconds at_;
};

}  // namespace treering::transport
