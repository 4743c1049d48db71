#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace treering {

/// Happens once; any number of threads may wait for it. Costs no system call unless somebody sleeps. What was written
/// before `happen` can be read after `happened` returned true. Both are sequentially consistent.
class OneShot {
 public:
  bool happened() const { return state_.load() == State::happened; }
  /// At most once.
  void happen();
  /// Sleeps until it has happened.
  void wait();
  /// Sleeps at most that long; says whether it has happened.
  bool wait_until(std::chrono::steady_clock::time_point deadline);

 private:
  enum class State : std::uint32_t { pending, watched, happened };
  void sleep(const timespec* limit);

  std::atomic<State> state_{State::pending};
};

}  // namespace treering
