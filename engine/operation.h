#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/completion_thread.h"
#include "treering/handle.h"
#include "treering/status.h"

namespace treering {

/// What a Handle refers to: ends exactly once, wakes whoever waits, then runs callbacks. The engine thread completes;
/// everything else may be called from any thread.
class Operation {
 public:
  /// `spin`: how long a waiter yields its core before it sleeps.
  Operation(std::shared_ptr<CompletionThread> callbacks, std::chrono::nanoseconds spin)
      : callbacks_(std::move(callbacks)), spin_(spin) {}

  /// Before `complete`, if there is a result to fetch.
  void set_gathered(Gathered gathered) { gathered_ = std::move(gathered); }
  void complete(Status status);

  bool done() const { return done_.load(std::memory_order_acquire); }
  Status status() const { return done() ? status_ : Status(); }
  const Gathered& gathered() const { return gathered_; }
  void wait();
  bool wait_for(std::chrono::nanoseconds time);
  void then(std::function<void(const Status&)> callback);

 private:
  bool yield_until_done(std::chrono::steady_clock::time_point deadline) const;
  void post(std::function<void(const Status&)> callback);

  const std::shared_ptr<CompletionThread> callbacks_;
  const std::chrono::nanoseconds spin_;

  // Written by the engine thread before done_, read by others after it.
  Status status_;
  Gathered gathered_;
  std::atomic<bool> done_{false};

  std::mutex mutex_;
  std::condition_variable ended_;
  std::vector<std::function<void(const Status&)>> waiting_callbacks_;  // guarded by mutex_
};

}  // namespace treering
