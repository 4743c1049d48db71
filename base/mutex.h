#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

/// Attributes for clang's -Wthread-safety, which then proves at compile time that guarded members are only touched with
/// their lock held. Other compilers see nothing.
#if defined(__clang__)
#define TREERING_THREAD_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define TREERING_THREAD_ATTRIBUTE(attribute)
#endif

#define TREERING_GUARDED_BY(mutex) TREERING_THREAD_ATTRIBUTE(guarded_by(mutex))
#define TREERING_REQUIRES(...) TREERING_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define TREERING_EXCLUDES(...) TREERING_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))

namespace treering {

class TREERING_THREAD_ATTRIBUTE(capability("mutex")) Mutex {
 public:
  void lock() TREERING_THREAD_ATTRIBUTE(acquire_capability()) { mutex_.lock(); }
  void unlock() TREERING_THREAD_ATTRIBUTE(release_capability()) { mutex_.unlock(); }
  bool try_lock() TREERING_THREAD_ATTRIBUTE(try_acquire_capability(true)) { return mutex_.try_lock(); }

 private:
  friend class Condition;
  std::mutex mutex_;
};

/// Holds a mutex for a scope.
class TREERING_THREAD_ATTRIBUTE(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) TREERING_THREAD_ATTRIBUTE(acquire_capability(mutex)) : mutex_(mutex) {
    mutex_.lock();
  }
  ~MutexLock() TREERING_THREAD_ATTRIBUTE(release_capability()) { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

/// A condition variable without predicates, because the analysis cannot see into lambdas: wait in a loop that tests
/// the guarded state.
class Condition {
 public:
  void wait(Mutex& mutex) TREERING_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }
  /// False once the time has come.
  bool wait_until(Mutex& mutex, std::chrono::steady_clock::time_point when) TREERING_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    const bool in_time = condition_.wait_until(lock, when) == std::cv_status::no_timeout;
    lock.release();
    return in_time;
  }
  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace treering
