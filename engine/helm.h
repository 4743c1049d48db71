#pragma once

#include <mutex>

namespace treering {

/// What a helm steers. All members are for the thread that holds the helm.
class Steered {
 public:
  /// One turn; true if anything moved.
  virtual bool step() = 0;
  /// This thread begins to step: until `rest` nobody needs to be woken.
  virtual void wake() = 0;
  /// This thread is about to let go, and the engine thread is not at hand: wakes it unless whatever comes next rings
  /// the bell by itself.
  virtual void rest() = 0;

 protected:
  ~Steered() = default;
};

/// The right to step an engine's loop, held by one thread at a time: the engine thread while it works; and while that
/// sleeps or has nothing to do, a thread that waits for a handle. A waiter would otherwise wake the engine thread,
/// yield to it and be woken by it, which takes far longer than a small collective.
///
/// Whoever holds the helm answers for the bell: the engine thread lets go only after the protocol of a sleeper
/// (transport/bell.h), or for one yield; a waiter lets go through `Steered::rest`. Handles may outlive the loop, so
/// they share the helm, and the loop closes it when it ends.
class Helm {
 public:
  Helm() = default;  ///< nothing to steer, ever
  explicit Helm(Steered& loop) : loop_(&loop) {}

  /// The engine thread's hold.
  std::unique_lock<std::mutex> hold() { return std::unique_lock(mutex_); }
  /// From now on there is nothing to steer. The caller holds the helm.
  void close() { loop_ = nullptr; }

  /// A waiter's hold, from the first step that found the helm free to the end of the scope.
  class Watch {
   public:
    explicit Watch(Helm& helm) : helm_(helm), lock_(helm.mutex_, std::defer_lock) {}
    ~Watch() {
      if (lock_.owns_lock()) helm_.loop_->rest();
    }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    /// Steps the loop if the helm is free; true if anything moved.
    bool step() { return take() && helm_.loop_->step(); }

    /// True if this watch has the helm now.
    bool take() {
      if (lock_.owns_lock()) return true;
      if (!lock_.try_lock()) return false;
      if (helm_.loop_ == nullptr) {
        lock_.unlock();
        return false;
      }
      helm_.loop_->wake();
      return true;
    }

   private:
    Helm& helm_;
    std::unique_lock<std::mutex> lock_;
  };

 private:
  std::mutex mutex_;
  Steered* loop_ = nullptr;  // guarded by mutex_
};

}  // namespace treering
