#include "tests/watchdog.h"

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "tests/listener.h"

namespace treering::testing {
namespace {

/// Ranks reach their limits at nearly the same time, and the first to end takes the others with it: wait for their
/// words.
constexpr std::chrono::seconds time_for_other_ranks{2};

class Watchdog {
 public:
  void start(std::chrono::seconds limit, std::string who) {
    who_ = std::move(who);
    if (limit.count() > 0) thread_ = std::thread([this, limit] { run(limit); });
  }

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  void under_way(std::string what) {
    const std::lock_guard lock(mutex_);
    what_ = std::move(what);
  }

  std::size_t add(std::function<std::string()> dump) {
    const std::lock_guard lock(mutex_);
    dumps_.emplace(++last_id_, std::move(dump));
    return last_id_;
  }

  void remove(std::size_t id) {
    const std::lock_guard lock(mutex_);
    dumps_.erase(id);
  }

 private:
  void run(std::chrono::seconds limit) {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, limit, [this] { return stopped_; })) return;
    std::string report = who_ + ": after " + std::to_string(limit.count()) + " s still in: " + what_ + "\n";
    for (const auto& [id, dump] : dumps_) report += dump() + "\n";
    std::fputs(report.c_str(), stderr);
    std::fflush(stderr);
    std::this_thread::sleep_for(time_for_other_ranks);
    std::_Exit(1);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string who_;
  std::string what_ = "start-up";
  std::map<std::size_t, std::function<std::string()>> dumps_;
  std::size_t last_id_ = 0;
  bool stopped_ = false;
  std::thread thread_;
};

Watchdog& watchdog() {
  // Never destroyed: a forked child that exits would wait for ever for a thread that only its parent has.
  static Watchdog& instance = *new Watchdog;
  return instance;
}

class NameTestCases : public Listener {
 public:
  using Listener::Listener;
  void test_case_start(const doctest::TestCaseData& test) override { under_way(test.m_name); }
  void test_run_end(const doctest::TestRunStats& /*stats*/) override { under_way("the end, after all test cases"); }
};
REGISTER_LISTENER("name_test_cases", 0, NameTestCases);

}  // namespace

Dumper::~Dumper() { watchdog().remove(id_); }

Dumper on_watchdog(std::function<std::string()> dump) { return Dumper(watchdog().add(std::move(dump))); }
void start_watchdog(std::chrono::seconds limit, std::string who) { watchdog().start(limit, std::move(who)); }
void stop_watchdog() { watchdog().stop(); }
void under_way(std::string what) { watchdog().under_way(std::move(what)); }

int argument(int argc, const char* const* argv, const char* prefix, int otherwise) {
  const std::string_view wanted = prefix;
  for (int index = 1; index < argc; ++index) {
    const std::string_view given = argv[index];
    if (given.starts_with(wanted)) return std::atoi(argv[index] + wanted.size());
  }
  return otherwise;
}

}  // namespace treering::testing
