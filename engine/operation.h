#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/one_shot.h"
#include "engine/completion_thread.h"
#include "engine/helm.h"
#include "engine/task.h"
#include "treering/handle.h"
#include "treering/status.h"

namespace treering {

/// What a Handle refers to: a task that ends exactly once, wakes whoever waits, then runs callbacks. The engine thread
/// completes; everything else may be called from any thread.
class Operation : public std::enable_shared_from_this<Operation> {
 public:
  /// `spin`: how long a waiter steps the loop or yields its core, since anything moved, before it sleeps.
  Operation(Task what, std::shared_ptr<CompletionThread> callbacks, std::shared_ptr<Helm> helm,
            std::chrono::nanoseconds spin)
      : task(std::move(what)), callbacks_(std::move(callbacks)), helm_(std::move(helm)), spin_(spin) {}

  /// For the engine only. It lives here so that one allocation holds everything and the user's thread, which made it,
  /// also frees it.
  Task task;

  /// Before `complete`, if there is a result to fetch.
  void set_gathered(Gathered gathered) { gathered_ = std::move(gathered); }
  void complete(Status status);

  bool done() const { return done_.happened(); }
  Status status() const { return done() ? status_ : Status(); }
  const Gathered& gathered() const { return gathered_; }
  void wait();
  bool wait_for(std::chrono::nanoseconds time);
  void then(std::function<void(const Status&)> callback);

 private:
  using Time = std::chrono::steady_clock::time_point;
  bool work_until_done(Time deadline);
  void post_callbacks();

  const std::shared_ptr<CompletionThread> callbacks_;
  const std::shared_ptr<Helm> helm_;
  const std::chrono::nanoseconds spin_;

  // Written by the engine thread before done_, read by others after it.
  Status status_;
  Gathered gathered_;
  OneShot done_;

  std::mutex mutex_;
  std::vector<std::function<void(const Status&)>> callbacks_waiting_;  // guarded by mutex_
  std::atomic<bool> has_callbacks_{false};  // was ever true: spares `complete` the lock where nobody asked
};

}  // namespace treering
