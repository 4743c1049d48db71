#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "tests/timeline/trace_support.h"
#include "timeline/recording.h"
#include "treering/status.h"

using namespace treering;
using namespace treering::timeline;

namespace {

const About about{{"rank", "3"}, {"size", "8"}};

std::vector<Block> read_blocks(const std::string& path) { return blocks_of(read_file(path)); }

/// Lets files grow to `bytes` only, while it lives.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &usual_) == 0);
    const rlimit tight{bytes, usual_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &tight) == 0);
  }
  ~FileLimit() {
    ::setrlimit(RLIMIT_FSIZE, &usual_);
    std::signal(SIGXFSZ, handler_);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit usual_{};
  void (*handler_)(int);
};

}  // namespace

TEST_CASE("spool_file: the directory is made; where it cannot be, the error gives advice") {
  const TempDir directory;
  const std::string deeper = directory.path() + "/new/deeper";
  {
    const SpoolFile file(deeper, 3, "node-a");
  }
  CHECK(std::filesystem::exists(deeper + "/rank-3.trace"));
  try {
    const SpoolFile file(deeper + "/rank-3.trace/below-a-file", 3, "node-a");
    FAIL("opened below a file");
  } catch (const Error& error) {
    const std::string text = error.what();
    CHECK(error.code() == StatusCode::unavailable);
    for (const char* part : {"rank 3 on node-a", "below-a-file", "Not a directory", "TREERING_TIMELINE"})
      CHECK_MESSAGE(text.find(part) != std::string::npos, text);
  }
}

TEST_CASE("spool_file: two writers of one rank have two files; what an earlier job left is removed") {
  const TempDir directory;
  for (const char* name : {"rank-3.trace", "rank-3.json", "rank-3.old.trace", "rank-4.json"}) {
    const UniqueFd old(::open((directory.path() + "/" + name).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    REQUIRE(::write(old.get(), "old", 3) == 3);
  }
  const SpoolFile first(directory.path(), 3, "host");
  const SpoolFile second(directory.path(), 3, "host");
  CHECK(first.path() == directory.path() + "/rank-3.trace");
  CHECK(second.path() == directory.path() + "/rank-3-2.trace");
  CHECK(second.path_with(".json") == directory.path() + "/rank-3-2.json");
  CHECK(std::filesystem::file_size(first.path()) == 0);
  CHECK_FALSE(std::filesystem::exists(directory.path() + "/rank-3.json"));
  CHECK_FALSE(std::filesystem::exists(directory.path() + "/rank-3.old.trace"));
  CHECK(std::filesystem::exists(directory.path() + "/rank-4.json"));
}

TEST_CASE("recording: when writing fails, whole blocks stay, and the next ones say what is missing") {
  const TempDir directory;
  SpoolFile file(directory.path(), 0, "host");
  NameTable names;
  const std::uint32_t name = names.id_of("tensor");
  Recording recording(file, names, about, 1, {}, {}, 100);
  const auto add = [&](int count) {
    for (int i = 0; i < count; ++i) recording.add({Kind::posted, name, 200 + i, {1, 2, 3}});
  };
  add(10);
  REQUIRE(recording.flush());
  const std::string before = read_file(file.path());
  {
    const FileLimit limit(before.size() + 50);
    for (int i = 0; i < 3; ++i) {
      add(20);
      CHECK_FALSE(recording.flush());
      CHECK(read_file(file.path()) == before);
    }
  }
  CHECK(file.failure() == EFBIG);
  CHECK(recording.lost() == 60);
  add(5);
  recording.end(StopCause::asked, 1000);
  const auto blocks = read_blocks(file.path());
  check_spool(blocks);
  CHECK(records_of(blocks, {Kind::posted}).size() == 15);
  const auto dropped = records_of(blocks, {Kind::dropped});
  REQUIRE(dropped.size() == 1);
  CHECK(dropped[0].values[0] == 60);
  CHECK(records_of(blocks, {Kind::stopped}).size() == 1);
}

TEST_CASE("recording: a first block that could not be written comes later") {
  const TempDir directory;
  SpoolFile file(directory.path(), 0, "host");
  NameTable names;
  Recording recording(file, names, about, 1, {}, {}, 100);
  {
    const FileLimit limit(10);
    CHECK_FALSE(recording.flush());
  }
  CHECK(read_file(file.path()).empty());
  recording.end(StopCause::asked, 1000);
  const auto blocks = read_blocks(file.path());
  check_spool(blocks);
  CHECK(blocks.front().about == about);
}

TEST_CASE("recording: with a limit the newest part is kept, in two files that can each be read alone") {
  const TempDir directory;
  SpoolFile file(directory.path(), 0, "host");
  NameTable names;
  RecordingLimits limits;
  limits.bytes = 40'000;
  limits.block = 1000;
  constexpr int count = 50'000;
  {
    Recording recording(file, names, about, 1, limits, {100, 77, 5, 0}, 100);
    for (int i = 0; i < count; ++i) {
      recording.add({Kind::posted, names.id_of("t" + std::to_string(i % 7)), 1000 + i, {std::uint64_t(i), 2, 3}});
      if (i == count / 2) recording.add(clock_record({1000 + i, 78, 4, 0}));
    }
    recording.end(StopCause::asked, count);
  }
  const std::string old = file.path_with(".old.trace");
  CHECK(std::filesystem::file_size(old) + std::filesystem::file_size(file.path()) <= limits.bytes + 2 * limits.block);
  CHECK(std::filesystem::file_size(old) >= limits.bytes / 2);
  auto blocks = read_blocks(old);
  const auto newer = read_blocks(file.path());
  check_spool(blocks);
  check_spool(newer);
  CHECK(blocks.front().about == about);
  CHECK(newer.front().about == about);
  CHECK(clock_point(newer.front().records.front()).offset == 78);  // the latest that was known
  blocks.insert(blocks.end(), newer.begin(), newer.end());
  const auto posted = records_of(blocks, {Kind::posted});
  for (std::size_t i = 0; i < posted.size(); ++i)
    REQUIRE(posted[i].values[0] == count - posted.size() + i);  // without a gap up to the last
}

TEST_CASE("recording: only what the window holds, but always the clock") {
  const TempDir directory;
  SpoolFile file(directory.path(), 0, "host");
  NameTable names;
  RecordingLimits limits;
  limits.window = {RecordWindow::Unit::seconds, 2, 4};
  Recording recording(file, names, about, 1, limits, {}, 0);
  for (int i = 0; i < 10; ++i) {
    const Nanoseconds now = i * Nanoseconds{1'000'000'000};
    recording.add({Kind::asleep, 0, now, {5}});
    recording.add(clock_record({now, 1, 1, 0}));
    CHECK(recording.over() == (i >= 4));
  }
  recording.end(StopCause::limit, 10);
  const auto blocks = read_blocks(file.path());
  const auto asleep = records_of(blocks, {Kind::asleep});
  REQUIRE(asleep.size() == 2);
  CHECK(asleep[0].time == 2'000'000'000);
  CHECK(records_of(blocks, {Kind::clock}).size() == 11);
}

TEST_CASE("name_table: equal texts share a number, long ones stay different, and it is bounded") {
  NameTable names(10);
  CHECK(names.id_of("") == 1);
  CHECK(names.id_of("a") == 2);
  CHECK(names.id_of("a") == 2);
  CHECK(names.text_of(0).empty());
  CHECK(names.text_of(2) == "a");
  CHECK(names.text_of(99).empty());
  const std::uint32_t one = names.id_of(std::string(4096, 'x') + "1");
  CHECK(one != names.id_of(std::string(4096, 'x') + "2"));
  CHECK(names.text_of(one).size() <= NameTable::longest);
  for (int i = 0; i < 100; ++i) CHECK(names.id_of("more " + std::to_string(i)) <= 11);
  CHECK(names.text_of(11) == "(further names)");
  CHECK(names.id_of("a") == 2);
}
