#include "base/one_shot.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

namespace treering {

void OneShot::happen() {
  if (state_.exchange(State::happened) == State::watched)
    syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

void OneShot::sleep(const timespec* limit) {
  State seen = State::pending;
  state_.compare_exchange_strong(seen, State::watched);
  if (seen != State::happened)
    syscall(SYS_futex, &state_, FUTEX_WAIT_PRIVATE, static_cast<std::uint32_t>(State::watched), limit, nullptr, 0);
}

void OneShot::wait() {
  while (!happened()) sleep(nullptr);
}

bool OneShot::wait_until(std::chrono::steady_clock::time_point deadline) {
  while (!happened()) {
    const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return happened();
    constexpr std::int64_t second = 1'000'000'000;
    const timespec limit{left.count() / second, left.count() % second};
    sleep(&limit);
  }
  return true;
}

}  // namespace treering
