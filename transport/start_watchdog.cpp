#include "transport/start_watchdog.h"

#include <unistd.h>

#include <cstdio>

namespace treering::transport {

StartWatchdog::StartWatchdog(std::chrono::milliseconds timeout) {
  if (timeout.count() > 0) thread_ = std::thread([this, timeout] { watch(timeout); });
}

StartWatchdog::~StartWatchdog() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  finished_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void StartWatchdog::rank(int rank) {
  const std::lock_guard lock(mutex_);
  rank_ = rank;
}

void StartWatchdog::step(std::string name) {
  const std::lock_guard lock(mutex_);
  step_ = std::move(name);
}

void StartWatchdog::watch(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  if (finished_.wait_for(lock, timeout, [this] { return done_; })) return;
  const std::string who = rank_ < 0 ? "a rank" : "rank " + std::to_string(rank_);
  std::fprintf(stderr,
               "treering: %s: start did not finish within %lld ms; it is stalled in the step \"%s\". Probably another "
               "rank has not called Engine::start, or has died. TREERING_START_TIMEOUT_MS changes the limit.\n",
               who.c_str(), static_cast<long long>(timeout.count()), step_.c_str());
  std::fflush(stderr);
  ::_exit(1);  // the thread that starts is stuck inside MPI: nothing else ends it
}

}  // namespace treering::transport
