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
#include <functional>
#include <thread>

#include "base/unique_fd.h"
#include "tests/timeline/trace_support.h"
#include "timeline/trace_recorder.h"

using namespace treering;
using namespace treering::timeline;
using nlohmann::json;
using namespace std::chrono_literals;

namespace {

RecorderOptions options_in(const TempDir& directory) {
  return {.directory = directory.path(), .rank = 0, .size = 1, .host = "here", .origin = 0};
}

std::string trace_text(const TempDir& directory) { return read_file(directory.path() + "/rank-0.json"); }

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

[[noreturn]] void record_for_ever(Recorder& recorder) {
  const std::string name = "layer \"7\"/weight\\";
  for (Nanoseconds now = 0;; now += 1000) {
    recorder.span(Track::tensors, Phase::tensor, name, now, now + 2500);
    recorder.span(Track::engine, Phase::tree, name, now, now + 900);
    if (now % 100'000 == 0) std::this_thread::yield();
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
    TraceRecorder recorder(options_in(directory), {.events = 4096, .period = 1ms});
    record_for_ever(recorder);
  });
  wait_for_size(directory.path() + "/rank-0.json", size);
  REQUIRE(::kill(child.pid, signal) == 0);
  const int status = child.wait();
  REQUIRE(WIFSIGNALED(status));
  REQUIRE(WTERMSIG(status) == signal);
  return trace_text(directory);
}

constexpr std::uintmax_t sizes[] = {1000, 2000, 4096, 8192, 10'000, 20'001, 50'002, 100'003, 200'004, 400'005};

}  // namespace

TEST_CASE("killed: after SIGTERM the file is valid as it is") {
  for (const std::uintmax_t size : sizes) {
    const json trace = parse_trace(killed_at(size, SIGTERM));
    check_trace(trace);
    CHECK(events_of(trace).size() + 20 > size / 200);
  }
}

TEST_CASE("killed: after SIGKILL the file is valid once it is cut after the last newline and closed") {
  for (const std::uintmax_t size : sizes) {
    const json trace = parse_trace(repaired(killed_at(size, SIGKILL)));
    check_trace(trace);
    CHECK(events_of(trace).size() + 20 > size / 200);
  }
}

TEST_CASE("killed: repair works wherever a page's write may have been cut") {
  const TempDir directory;
  {
    TraceRecorder recorder(options_in(directory), {.events = 1024, .period = 1h});
    for (Nanoseconds now = 0; now < 200; ++now) recorder.span(Track::engine, Phase::tree, "x", now, now + 1, "");
  }
  const std::string whole = trace_text(directory);
  const std::size_t header = whole.find("\n,{\"name\":\"tree\"");
  REQUIRE(header != std::string::npos);
  for (std::size_t size = header + 1; size <= whole.size(); size += 37) {
    const json trace = parse_trace(repaired(whole.substr(0, size)));
    check_trace(trace);
  }
  CHECK(repaired(whole) == whole);
}

TEST_CASE("killed: _exit and exit without closing leave a valid file") {
  for (const bool at_once : {true, false}) {
    const TempDir directory;
    const Child child([&] {
      static TraceRecorder* leaked = new TraceRecorder(options_in(directory), {.events = 4096, .period = 1ms});
      for (Nanoseconds now = 0; now < 2000; ++now) leaked->span(Track::engine, Phase::tree, "x", now, now + 1, "");
      at_once ? ::_exit(7) : std::exit(7);
    });
    const int status = child.wait();
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 7);
    check_trace(parse_trace(trace_text(directory)));
  }
}

TEST_CASE("killed: a full disk costs events, not the process, and is reported once and counted") {
  const TempDir directory;
  const std::string errors = directory.path() + "/stderr";
  const Child child([&] {
    const UniqueFd file(::open(errors.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    ::dup2(file.get(), STDERR_FILENO);
    const rlimit tight{20'000, RLIM_INFINITY};
    const rlimit wide{RLIM_INFINITY, RLIM_INFINITY};
    {
      TraceRecorder recorder(options_in(directory), {.events = 1024, .period = 1h});
      ::setrlimit(RLIMIT_FSIZE, &tight);
      for (Nanoseconds now = 0; now < 1000; ++now) recorder.span(Track::engine, Phase::tree, "tight", now, now + 1, "");
    }
    ::_exit(::setrlimit(RLIMIT_FSIZE, &wide));
  });
  const int status = child.wait();
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  const std::string text = trace_text(directory);
  CHECK(text.size() <= 20'000);
  const json trace = parse_trace(text);
  check_trace(trace);
  CHECK(events_of(trace).size() > 50);
  CHECK(events_of(trace).size() < 300);
  const std::string said = read_file(errors);
  CHECK(said.find("File too large") != std::string::npos);
  CHECK(said.find("rank-0.json") != std::string::npos);
  CHECK(std::ranges::count(said, '\n') == 1);
}
