#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <thread>

#include "base/unique_fd.h"
#include "tests/timeline/trace_support.h"
#include "timeline/chrome_trace.h"
#include "timeline/exit_hook.h"
#include "timeline/timeline.h"

using namespace treering;
using namespace treering::timeline;
using nlohmann::json;
using namespace std::chrono_literals;

namespace {

TimelineOptions options_of(std::size_t events, std::chrono::milliseconds period) {
  TimelineOptions options;
  options.about = {{"rank", "0"}, {"size", "1"}, {"host", "here"}};
  options.engine_events = events;
  options.period = period;
  options.looks_per_block = 1;
  return options;
}

std::string spool_text(const TempDir& directory) { return read_file(directory.path() + "/rank-0.trace"); }

/// A child process that runs `body`, which must not return.
struct Child {
  pid_t pid = -1;

  explicit Child(const std::function<void()>& body) {
    std::fflush(nullptr);
    pid = ::fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
      ::signal(SIGTERM, SIG_DFL);  // the test framework's handler stays with the parent
      body();
      std::abort();
    }
  }

  int wait() const {
    int status = 0;
    REQUIRE(::waitpid(pid, &status, 0) == pid);
    return status;
  }
};

/// Numbers its records from 1.
[[noreturn]] void record_for_ever(Timeline& timeline) {
  const std::uint32_t name = timeline.name("layer \"7\"/weight\\");
  for (std::uint64_t number = 1;; ++number) {
    const auto now = static_cast<Nanoseconds>(number * 1000);
    timeline.record({Kind::done, name, now, {number, 0, 2500, 1000, 0}});
    if (number % 100 == 0) std::this_thread::yield();
  }
}

void wait_for_size(const std::string& path, std::uintmax_t size) {
  const auto deadline = std::chrono::steady_clock::now() + 60s;
  std::error_code missing;
  for (std::uintmax_t seen = 0; seen < size || missing; seen = std::filesystem::file_size(path, missing)) {
    REQUIRE(std::chrono::steady_clock::now() < deadline);
    std::this_thread::yield();
  }
}

/// Kills a recording child once its file has reached that size, and gives what is left of the file.
std::string killed_at(std::uintmax_t size, int signal) {
  const TempDir directory;
  const Child child([&] {
    const RealClock clock;
    const Log log(LogLevel::off, 0);
    Timeline timeline(options_of(4096, 1ms), clock, log);
    timeline.start(directory.path());
    record_for_ever(timeline);
  });
  wait_for_size(directory.path() + "/rank-0.trace", size);
  REQUIRE(::kill(child.pid, signal) == 0);
  const int status = child.wait();
  REQUIRE(WIFSIGNALED(status));
  REQUIRE(WTERMSIG(status) == signal);
  return spool_text(directory);
}

/// All that was written before is there, and only the last block may be torn.
void check_remains(const std::string& text, std::uintmax_t size) {
  SpoolDamage damage;
  const auto blocks = blocks_of(text, &damage);
  check_spool(blocks);
  CHECK(damage.skipped == damage.torn_at_end);
  CHECK(damage.torn_at_end < 2 * RecordingLimits().block);
  CHECK(text.size() >= size);
  std::uint64_t last = 0;
  std::uint64_t said = 0;
  std::uint64_t missing = 0;
  for (const Record& record : records_of(blocks, {Kind::done, Kind::dropped})) {
    if (record.kind == Kind::dropped) {
      said += record.values[0];
      continue;
    }
    REQUIRE(record.values[0] > last);
    missing += record.values[0] - last - 1;
    REQUIRE(missing <= said);  // nothing is missing that was not said before
    last = record.values[0];
  }
}

json converted(const TempDir& directory, const std::string& text) {
  const std::string from = directory.path() + "/rank-0.trace";
  std::ofstream(from, std::ios::binary) << text;
  REQUIRE(write_chrome_trace(from, directory.path() + "/rank-0.json") == "");
  json trace = parse_trace(read_file(directory.path() + "/rank-0.json"));
  check_trace(trace);
  return trace;
}

}  // namespace

TEST_CASE("killed: after SIGTERM and SIGKILL at any moment all but the last block can be read and drawn") {
  std::mt19937_64 random(11);
  for (int turn = 0; turn < 100; ++turn) {
    const std::uintmax_t size = random() % 200'000 >> random() % 8;
    const std::string text = killed_at(size, turn % 4 == 0 ? SIGTERM : SIGKILL);
    check_remains(text, size);
    if (turn % 10 != 0) continue;
    const TempDir directory;
    const json trace = converted(directory, text);
    const auto blocks = blocks_of(text);
    CHECK(events_of(trace).size() ==
          4 * records_of(blocks, {Kind::done}).size() + records_of(blocks, {Kind::dropped}).size());
  }
}

TEST_CASE("killed: wherever the last write may have been cut, what is before it is drawn") {
  const TempDir directory;
  {
    const RealClock clock;
    const Log log(LogLevel::off, 0);
    Timeline timeline(options_of(1024, 1ms), clock, log);
    timeline.start(directory.path());
    for (int turn = 0; turn < 5; ++turn) {
      for (Nanoseconds now = 0; now < 50; ++now) timeline.record({Kind::asleep, 0, now, {1}});
      timeline.stop();
      timeline.start(directory.path());
    }
  }
  const std::string whole = spool_text(directory);
  for (std::size_t size = 0; size <= whole.size(); size += 41) {
    const TempDir other;
    converted(other, whole.substr(0, size));
  }
}

TEST_CASE("killed: exit without closing finishes the files; _exit leaves what was written") {
  for (const bool at_once : {true, false}) {
    const TempDir directory;
    const Child child([&] {
      static const RealClock clock;
      static const Log log(LogLevel::off, 0);
      static auto* leaked = new Timeline(options_of(4096, 1ms), clock, log);
      new ExitHook([] { leaked->finish(StopCause::process_exit); });
      leaked->start(directory.path());
      for (Nanoseconds now = 0; now < 2000; ++now) leaked->record({Kind::asleep, 0, now, {1}});
      at_once ? ::_exit(7) : std::exit(7);
    });
    const int status = child.wait();
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 7);
    const auto blocks = blocks_of(spool_text(directory));
    check_spool(blocks);
    CHECK(std::filesystem::exists(directory.path() + "/rank-0.json") == !at_once);
    if (at_once) continue;
    CHECK(records_of(blocks, {Kind::asleep}).size() == 2000);
    const auto stopped = records_of(blocks, {Kind::stopped});
    REQUIRE(stopped.size() == 1);
    CHECK(stopped[0].values[0] == static_cast<std::uint64_t>(StopCause::process_exit));
    check_trace(parse_trace(read_file(directory.path() + "/rank-0.json")));
  }
}

TEST_CASE("killed: a child of a fork that exits leaves the parent's recording alone") {
  const TempDir directory;
  const RealClock clock;
  const Log log(LogLevel::off, 0);
  Timeline timeline(options_of(4096, 1ms), clock, log);
  const ExitHook hook([&] { timeline.finish(StopCause::process_exit); });
  timeline.start(directory.path());
  timeline.record({Kind::asleep, 0, 1, {1}});
  CHECK(WEXITSTATUS(Child([] { std::exit(3); }).wait()) == 3);
  timeline.record({Kind::asleep, 0, 2, {1}});
  timeline.finish(StopCause::engine_ended);
  const auto blocks = blocks_of(spool_text(directory));
  check_spool(blocks);
  CHECK(records_of(blocks, {Kind::asleep}).size() == 2);
  CHECK(records_of(blocks, {Kind::stopped}).size() == 1);
}

TEST_CASE("killed: a full disk costs events, not the process, and is reported once and counted") {
  const TempDir directory;
  const std::string errors = directory.path() + "/stderr";
  const Child child([&] {
    const UniqueFd file(::open(errors.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    ::dup2(file.get(), STDERR_FILENO);
    const rlimit tight{5'000, RLIM_INFINITY};
    const rlimit wide{RLIM_INFINITY, RLIM_INFINITY};
    const RealClock clock;
    const Log log(LogLevel::warning, 0);
    TimelineOptions options = options_of(1024, 1h);
    options.limits.block = 1000;
    Timeline timeline(std::move(options), clock, log);
    timeline.start(directory.path());
    ::setrlimit(RLIMIT_FSIZE, &tight);
    for (Nanoseconds now = 0; now < 1000; ++now) timeline.record({Kind::asleep, 0, now * 1'000'000, {12'345'678}});
    timeline.stop();
    ::_exit(::setrlimit(RLIMIT_FSIZE, &wide));
  });
  const int status = child.wait();
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  const std::string text = spool_text(directory);
  CHECK(text.size() <= 5'000);
  SpoolDamage damage;
  const auto blocks = blocks_of(text, &damage);
  check_spool(blocks);
  CHECK(damage.skipped == 0);
  const std::size_t kept = records_of(blocks, {Kind::asleep}).size();
  CHECK(kept > 50);
  CHECK(kept < 1000);
  const std::string said = read_file(errors);
  CHECK(said.find("File too large") != std::string::npos);
  CHECK(said.find("rank-0.trace") != std::string::npos);
  CHECK(std::ranges::count(said, '\n') == 1);
}
