#pragma once

#include <atomic>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace treering {

/// A queue from many threads to one. Values of one thread come out in the order in which it pushed them. The mutex is
/// held for one append or one swap only.
///
/// The consumer may ask `maybe_filled` without the lock before it sleeps: a push sets the flag (seq_cst) before it
/// returns, so a producer that pushes and then looks for a sleeper, and a consumer that declares its sleep (seq_cst)
/// and then asks, cannot miss each other.
template <class T>
class MpscQueue {
 public:
  enum class Pushed : unsigned char {
    refused,  ///< after `close`; the value is left with the caller
    first,    ///< into an empty queue: the consumer may have to be woken
    behind,   ///< behind others that the consumer has not taken yet; whoever pushed the first of them wakes it
  };

  Pushed push(T&& value) TREERING_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (closed_) return Pushed::refused;
    values_.push_back(std::move(value));
    if (values_.size() > 1) return Pushed::behind;
    filled_.store(true);
    return Pushed::first;
  }

  bool maybe_filled() const { return filled_.load(); }

  /// Consumer only: replaces `batch` by everything pushed so far, oldest first. Give the same vector each time and
  /// nothing is allocated in the long run.
  void take(std::vector<T>& batch) TREERING_EXCLUDES(mutex_) {
    batch.clear();
    if (!maybe_filled()) return;
    MutexLock lock(mutex_);
    batch.swap(values_);
    filled_.store(false);
  }

  /// Refuses all later pushes; what was pushed before can still be taken.
  void close() TREERING_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    closed_ = true;
  }

 private:
  Mutex mutex_;
  std::vector<T> values_ TREERING_GUARDED_BY(mutex_);
  bool closed_ TREERING_GUARDED_BY(mutex_) = false;
  std::atomic<bool> filled_{false};
};

}  // namespace treering
