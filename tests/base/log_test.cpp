#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <functional>

#include "base/log.h"
#include "base/unique_fd.h"
#include "treering/status.h"

using namespace treering;

namespace {

/// What `action` writes to stderr.
std::string stderr_of(const std::function<void()>& action) {
  std::FILE* const file = std::tmpfile();
  REQUIRE(file != nullptr);
  std::fflush(stderr);
  const UniqueFd saved(::dup(STDERR_FILENO));
  ::dup2(::fileno(file), STDERR_FILENO);
  action();
  std::fflush(stderr);
  ::dup2(saved.get(), STDERR_FILENO);
  std::rewind(file);
  std::string text;
  for (int letter = std::fgetc(file); letter != EOF; letter = std::fgetc(file)) text += static_cast<char>(letter);
  std::fclose(file);
  return text;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("log: lines name level and rank; braces and percents are left alone") {
  const std::string text = stderr_of([] { Log(LogLevel::info, 3).warning("tensor {0} %d %s is late"); });
  CHECK(contains(text, "rank 3 warning: tensor {0} %d %s is late\n"));
}

TEST_CASE("log: nothing below the level, nothing at all when off") {
  const std::string text = stderr_of([] {
    const Log log(LogLevel::warning, 0);
    log.debug("quiet one");
    log.info("quiet two");
    log.error("loud");
    Log(LogLevel::off, 0).error("never");
    log.write(LogLevel::off, "no level");
  });
  CHECK(contains(text, "error: loud"));
  CHECK_FALSE(contains(text, "quiet"));
  CHECK_FALSE(contains(text, "never"));
  CHECK_FALSE(contains(text, "no level"));
}

TEST_CASE("log: two loggers of one process keep their own ranks and levels") {
  const std::string text = stderr_of([] {
    const Log first(LogLevel::debug, 1);
    const Log second(LogLevel::error, 2);
    first.debug("one");
    second.debug("two");
  });
  CHECK(contains(text, "rank 1 debug: one"));
  CHECK_FALSE(contains(text, "two"));
}

TEST_CASE("log: levels by name") {
  CHECK(Log::parse_level("trace") == LogLevel::trace);
  CHECK(Log::parse_level("off") == LogLevel::off);
  for (const char* word : {"", "Warning", "warn", "fatal"}) CHECK_THROWS_AS(Log::parse_level(word), Error);
}
