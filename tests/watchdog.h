#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace treering::testing {

/// Keeps a dump callback registered while it lives.
class Dumper {
 public:
  explicit Dumper(std::size_t id) : id_(id) {}
  ~Dumper();
  Dumper(const Dumper&) = delete;
  Dumper& operator=(const Dumper&) = delete;

 private:
  std::size_t id_;
};

/// Registers what to print when the watchdog bites (say, `engine->dump()`), for as long as the result lives. Called on
/// the watchdog's thread, so it must not wait for what may hang. Any thread.
[[nodiscard]] Dumper on_watchdog(std::function<std::string()> dump);

/// Starts this process's watchdog. When the test program has run for `limit`, it prints who hangs in which test case
/// and what the dumpers say, and ends the process with status 1. Zero: no watchdog. Choose a limit below the test
/// runner's.
void start_watchdog(std::chrono::seconds limit, std::string who);
void stop_watchdog();

/// What is under way, for the watchdog's report. The test mains call it for each test case; a long test may refine it.
/// Any thread.
void under_way(std::string what);

/// The number after `prefix` ("--watchdog=") among the arguments, or `otherwise`.
int argument(int argc, const char* const* argv, const char* prefix, int otherwise);

}  // namespace treering::testing
