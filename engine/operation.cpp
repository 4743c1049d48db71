#include "engine/operation.h"

#include <sched.h>

#include <algorithm>

#include "base/check.h"

namespace treering {

void Operation::complete(Status status) {
  TREERING_CHECK(!done(), "an operation ended twice");
  status_ = std::move(status);
  if (has_callbacks_.load()) post_callbacks();  // whoever returns from `wait` finds them in line
  done_.happen();
  if (has_callbacks_.load()) post_callbacks();  // those that came meanwhile
}

/// Steps the loop in place of the engine thread if that has nothing to do; else yields. Ends when nothing has moved for
/// a while, or at the deadline.
bool Operation::work_until_done(Time deadline) {
  Helm::Watch watch(*helm_);
  Time patience = std::chrono::steady_clock::now() + spin_;
  while (!done()) {
    const bool moved = watch.step();
    const Time now = std::chrono::steady_clock::now();
    if (moved) patience = now + spin_;
    if (now >= std::min(patience, deadline)) return done();
    if (!moved) sched_yield();
  }
  return true;
}

void Operation::wait() {
  if (done() || work_until_done(Time::max())) return;
  done_.wait();
}

bool Operation::wait_for(std::chrono::nanoseconds time) {
  const Time deadline = std::chrono::steady_clock::now() + time;
  return done() || work_until_done(deadline) || done_.wait_until(deadline);
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
/// Both sides write first and read then (seq_cst), so at least one of them sees both. What is posted just before the
/// end waits for it.
void Operation::post_callbacks() {
  const std::lock_guard lock(mutex_);
  for (auto& callback : callbacks_waiting_)
    callbacks_->post(
        [self = shared_from_this(), callback = std::move(callback)] {
          self->done_.wait();
          callback(self->status_);
        },
        {task.traced_name, task.traced_number});
  callbacks_waiting_.clear();
}

}  // namespace treering
