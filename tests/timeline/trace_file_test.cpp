#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

#include "tests/timeline/trace_support.h"
#include "timeline/page_step.h"
#include "timeline/trace_file.h"

using namespace treering;
using namespace treering::timeline;
using nlohmann::json;

namespace {

const std::string header = "[\n{\"n\":-1}\n";

RecorderOptions options_in(const TempDir& directory) {
  return {.directory = directory.path(), .rank = 5, .size = 6, .host = "here", .origin = 0};
}

std::string line(int number, std::size_t size) {
  const std::string text = ",{\"n\":" + std::to_string(number) + ",\"x\":\"";
  return text + std::string(size - text.size() - 4, 'x') + "\"}\n";
}

}  // namespace

TEST_CASE("trace_file: valid and in order after every flush, whatever the sizes; lines stay within pages") {
  const TempDir directory;
  TraceFile file(options_in(directory), header);
  int number = 0;
  for (const std::size_t size :
       {30U, 4094U, 31U, 4000U, 4094U, 4094U, 64U, 100U, 1000U, 2000U, 3000U, 90U, 4093U, 40U, 40U, 40U}) {
    for (int repeat = 0; repeat < 3; ++repeat) file.append(line(number++, size - 1));
    REQUIRE(file.flush());
    const std::string text = read_file(file.path());
    const json array = parse_trace(text);
    REQUIRE(array.size() == static_cast<std::size_t>(number) + 1);
    for (int index = -1; index < number; ++index) REQUIRE(array[static_cast<std::size_t>(index + 1)]["n"] == index);
    REQUIRE(parse_trace(repaired(text)) == array);
  }
  CHECK(file.lost() == 0);

  const std::string text = read_file(file.path());
  for (std::size_t end = text.find('\n'), begin = 0; end != std::string::npos;
       begin = end + 1, end = text.find('\n', begin)) {
    const std::size_t after_comma = text.find('{', begin);
    if (after_comma < end) CHECK(after_comma / TraceFile::page == end / TraceFile::page);
  }
}

TEST_CASE("trace_file: when writing fails, the file is as before and goes on when it can") {
  const TempDir directory;
  TraceFile file(options_in(directory), header);
  file.append(line(0, 100));
  REQUIRE(file.flush());
  const std::string before = read_file(file.path());

  rlimit usual{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &usual) == 0);
  const rlimit tight{before.size() + 50, usual.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &tight) == 0);
  file.append(line(1, 100));
  file.append(line(2, 100));
  const bool written = file.flush();
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &usual) == 0);
  std::signal(SIGXFSZ, handler);

  CHECK_FALSE(written);
  CHECK(file.failure() == EFBIG);
  CHECK(file.lost() == 2);
  CHECK(read_file(file.path()) == before);

  file.append(line(3, 100));
  CHECK(file.flush());
  const json array = parse_trace(read_file(file.path()));
  REQUIRE(array.size() == 3);
  CHECK(array[2]["n"] == 3);
}

TEST_CASE("page_step: the bracket moves over a page boundary and nothing else changes") {
  const TempDir directory;
  const std::string path = directory.path() + "/pages";
  const UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  const std::string before = std::string(8191, 'a') + "] b";
  REQUIRE(::pwrite(fd.get(), before.data(), before.size(), 0) == static_cast<ssize_t>(before.size()));
  CHECK(move_bracket_over(fd.get(), 8192));
  CHECK(read_file(path) == std::string(8191, 'a') + " ]b");
  CHECK_FALSE(move_bracket_over(fd.get(), 8000));   // no boundary
  CHECK_FALSE(move_bracket_over(fd.get(), 16384));  // beyond the end: refused, not SIGBUS
  CHECK_FALSE(move_bracket_over(fd.get(), 0));
  CHECK(read_file(path).size() == before.size());
}
