#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace treering {

/// Whose callback it is, for the timeline: Task::traced_name and Task::traced_number.
struct CallbackLabel {
  std::uint32_t name = 0;
  std::uint64_t operation = 0;
};

/// Runs user callbacks, one after another, in the order posted. Its thread exists from the first callback on. Shared by
/// the engine and its operations, so a callback added to a handle that outlived the engine still runs. Thread-safe.
class CompletionThread {
 public:
  /// Calls the callback, and notes when. Lives as long as the thread.
  using Around = std::function<void(const CallbackLabel&, const std::function<void()>& callback)>;

  static std::shared_ptr<CompletionThread> make(Around around = {}) {
    return std::make_shared<CompletionThread>(std::move(around));
  }
  explicit CompletionThread(Around around = {}) : state_(std::make_shared<State>(std::move(around))) {}
  /// Runs what was posted, then ends the thread. May happen on the thread itself (the last handle dropped in a
  /// callback).
  ~CompletionThread();
  CompletionThread(const CompletionThread&) = delete;
  CompletionThread& operator=(const CompletionThread&) = delete;

  void post(std::function<void()> callback, const CallbackLabel& label = {});
  /// True inside a callback.
  bool is_current() const;

 private:
  /// Outlives the object if the object dies on its own thread.
  struct Posted {
    std::function<void()> callback;
    CallbackLabel label;
  };
  struct State {
    explicit State(Around how) : around(std::move(how)) {}

    const Around around;
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<Posted> posted;  // guarded by mutex
    bool ending = false;         // guarded by mutex
  };
  static void run(const std::shared_ptr<State>& state);

  const std::shared_ptr<State> state_;
  std::thread thread_;  // guarded by state_->mutex
};

}  // namespace treering
