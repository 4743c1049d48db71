#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace treering::transport {

/// Ends the process with a message that names the stalled step, unless destroyed before the time is up. Starting is
/// full of collective calls, and a rank that never comes must not become a silent hang.
class StartWatchdog {
 public:
  /// A timeout of zero waits for ever.
  explicit StartWatchdog(std::chrono::milliseconds timeout);
  ~StartWatchdog();

  void rank(int rank);
  void step(std::string name);

 private:
  void watch(std::chrono::milliseconds timeout);

  std::mutex mutex_;
  std::condition_variable finished_;
  bool done_ = false;  // guarded by mutex_
  int rank_ = -1;      // guarded by mutex_
  std::string step_;   // guarded by mutex_
  std::thread thread_;
};

}  // namespace treering::transport
