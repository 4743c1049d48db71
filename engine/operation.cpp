#include "engine/operation.h"

#include <sched.h>

#include <algorithm>

#include "base/check.h"

namespace treering {

void Operation::complete(Status status) {
  TREERING_CHECK(!done(), "an operation ended twice");
  status_ = std::move(status);
  done_.happen();
  if (has_callbacks_.load()) post_callbacks();
}

bool Operation::yield_until_done(std::chrono::steady_clock::time_point deadline) const {
  while (!done()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    sched_yield();
  }
  return true;
}

void Operation::wait() {
  if (done()) return;
  if (yield_until_done(std::chrono::steady_clock::now() + spin_)) return;
  done_.wait();
}

bool Operation::wait_for(std::chrono::nanoseconds time) {
  const auto begin = std::chrono::steady_clock::now();
  if (yield_until_done(begin + std::min(time, spin_))) return true;
  return done_.wait_until(begin + time);
}

void Operation::then(std::function<void(const Status&)> callback) {
  {
    const std::lock_guard lock(mutex_);
    callbacks_waiting_.push_back(std::move(callback));
    has_callbacks_.store(true);
  }
  if (done()) post_callbacks();
}

/// Whoever sees both the end and a callback posts, under the lock and so in the order in which callbacks were added.
/// Both sides write first and read then (seq_cst), so at least one of them sees both.
void Operation::post_callbacks() {
  const std::lock_guard lock(mutex_);
  for (auto& callback : callbacks_waiting_)
    callbacks_->post([callback = std::move(callback), status = status_] { callback(status); });
  callbacks_waiting_.clear();
}

}  // namespace treering
