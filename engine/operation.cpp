#include "engine/operation.h"

#include <sched.h>

#include <algorithm>

#include "base/check.h"

namespace treering {

void Operation::complete(Status status) {
  TREERING_CHECK(!done(), "an operation ended twice");
  status_ = std::move(status);
  {
    const std::lock_guard lock(mutex_);
    done_.store(true, std::memory_order_release);
    for (auto& callback : waiting_callbacks_) post(std::move(callback));
    waiting_callbacks_.clear();
  }
  ended_.notify_all();
}

bool Operation::yield_until_done(std::chrono::steady_clock::time_point deadline) const {
  while (!done()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    sched_yield();
  }
  return true;
}

void Operation::wait() {
  if (yield_until_done(std::chrono::steady_clock::now() + spin_)) return;
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return done(); });
}

bool Operation::wait_for(std::chrono::nanoseconds time) {
  const auto begin = std::chrono::steady_clock::now();
  if (yield_until_done(begin + std::min(time, spin_))) return true;
  std::unique_lock lock(mutex_);
  return ended_.wait_until(lock, begin + time, [this] { return done(); });
}

void Operation::then(std::function<void(const Status&)> callback) {
  const std::lock_guard lock(mutex_);  // posting under the lock keeps callbacks in the order in which they were added
  if (done()) {
    post(std::move(callback));
  } else {
    waiting_callbacks_.push_back(std::move(callback));
  }
}

void Operation::post(std::function<void(const Status&)> callback) {
  callbacks_->post([callback = std::move(callback), status = status_] { callback(status); });
}

}  // namespace treering
