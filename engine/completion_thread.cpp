#include "engine/completion_thread.h"

#include <cstdio>
#include <exception>

namespace treering {
namespace {

/// The callback is the user's: whatever it throws must not end the thread.
void call(const std::function<void()>& callback) {
  try {
    callback();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "treering: a callback given to Handle::then threw and was ignored: %s\n", error.what());
  } catch (...) {
    std::fprintf(stderr, "treering: a callback given to Handle::then threw and was ignored\n");
  }
}

}  // namespace

CompletionThread::~CompletionThread() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->ending = true;
  }
  state_->changed.notify_one();
  if (!thread_.joinable()) return;
  if (is_current()) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

void CompletionThread::post(std::function<void()> callback, const CallbackLabel& label) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->posted.push_back({std::move(callback), label});
    if (!thread_.joinable()) thread_ = std::thread([state = state_] { run(state); });
  }
  state_->changed.notify_one();
}

bool CompletionThread::is_current() const {
  const std::lock_guard lock(state_->mutex);
  return thread_.get_id() == std::this_thread::get_id();
}

void CompletionThread::run(const std::shared_ptr<State>& state) {
  std::vector<Posted> batch;
  while (true) {
    {
      std::unique_lock lock(state->mutex);
      state->changed.wait(lock, [&] { return state->ending || !state->posted.empty(); });
      if (state->posted.empty()) return;
      batch.swap(state->posted);
    }
    for (auto& [callback, label] : batch) {
      call([&, &own = callback, &whose = label] { state->around ? state->around(whose, own) : own(); });
      callback = nullptr;  // what it captured dies before the next one runs
    }
    batch.clear();
  }
}

}  // namespace treering
