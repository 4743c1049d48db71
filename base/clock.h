#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace treering {

/// Monotonic time in nanoseconds from an arbitrary origin.
using Nanoseconds = std::int64_t;

/// The one source of time, so that timers can be tested without waiting. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Nanoseconds now() const = 0;
};

/// CLOCK_MONOTONIC.
class RealClock final : public Clock {
 public:
  Nanoseconds now() const override {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
};

/// Stands still until told otherwise.
class ManualClock final : public Clock {
 public:
  Nanoseconds now() const override { return now_.load(std::memory_order_relaxed); }
  void advance(Nanoseconds time) { now_.fetch_add(time, std::memory_order_relaxed); }

 private:
  std::atomic<Nanoseconds> now_{0};
};

}  // namespace treering
