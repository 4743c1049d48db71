#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace treering {

/// Runs user callbacks, one after another, in the order posted. Its thread exists from the first callback on. Shared by
/// the engine and its operations, so a callback added to a handle that outlived the engine still runs. Thread-safe.
class CompletionThread {
 public:
  static std::shared_ptr<CompletionThread> make() { return std::make_shared<CompletionThread>(); }
  CompletionThread() = default;
  /// Runs what was posted, then ends the thread. May happen on the thread itself (the last handle dropped in a
  /// callback).
  ~CompletionThread();
  CompletionThread(const CompletionThread&) = delete;
  CompletionThread& operator=(const CompletionThread&) = delete;

  void post(std::function<void()> callback);
  /// True inside a callback.
  bool is_current() const;

 private:
  /// Outlives the object if the object dies on its own thread.
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::function<void()>> posted;  // guarded by mutex
    bool ending = false;                        // guarded by mutex
  };
  static void run(const std::shared_ptr<State>& state);

  const std::shared_ptr<State> state_ = std::make_shared<State>();
  std::thread thread_;  // guarded by state_->mutex
};

}  // namespace treering
