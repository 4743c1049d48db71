#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <random>
#include <set>

#include "tests/timeline/trace_support.h"
#include "timeline/trace_recorder.h"
#include "treering/status.h"

using namespace treering;
using namespace treering::timeline;
using nlohmann::json;
using namespace std::chrono_literals;

namespace {

RecorderOptions options_in(const TempDir& directory, int rank = 3) {
  return {.directory = directory.path(), .rank = rank, .size = 8, .host = "node-a", .origin = 1'000'000};
}

std::string trace_text(const TempDir& directory, int rank = 3) {
  return read_file(directory.path() + "/rank-" + std::to_string(rank) + ".json");
}

/// Records with `record`, closes, and gives the events back, checked.
template <class Record>
std::vector<json> recorded(const Record& record, const RecorderLimits& limits = {}) {
  const TempDir directory;
  {
    TraceRecorder recorder(options_in(directory), limits);
    record(static_cast<Recorder&>(recorder));
  }
  const json trace = parse_trace(trace_text(directory));
  check_trace(trace);
  return events_of(trace);
}

}  // namespace

TEST_CASE("recorder: without events the file is valid and names process and rows") {
  const TempDir directory;
  const auto recorder = open_recorder(options_in(directory));
  CHECK(recorder->enabled());
  const json trace = parse_trace(trace_text(directory));  // complete from the beginning, not only at the end
  check_trace(trace);
  CHECK(events_of(trace).empty());
  std::map<std::string, std::set<std::string>> names;
  for (const json& event : trace) {
    CHECK(event.at("pid") == 3);
    if (event.at("args").contains("name")) names[event.at("name")].insert(event.at("args").at("name"));
    if (event.at("name") == "process_sort_index") CHECK(event.at("args").at("sort_index") == 3);
  }
  CHECK(names["process_name"] == std::set<std::string>{"rank 3 (node-a)"});
  CHECK(names["thread_name"] == std::set<std::string>{"tensors", "rounds", "batches", "engine"});
}

TEST_CASE("recorder: one span of a tensor is a pair with phase, subject, detail and microseconds from the origin") {
  const auto events = recorded([](Recorder& recorder) {
    recorder.span(Track::tensors, Phase::posted, "conv1/weight", 1'002'003, 1'012'345, "late: rank 2");
  });
  REQUIRE(events.size() == 2);
  CHECK(events[0].at("ph") == "b");
  CHECK(events[0].at("name") == "posted");
  CHECK(events[0].at("cat") == "posted");
  CHECK(events[0].at("args").at("of") == "conv1/weight");
  CHECK(events[0].at("args").at("detail") == "late: rank 2");
  CHECK(events[0].at("ts") == 2.003);
  CHECK(events[1].at("ph") == "e");
  CHECK(events[1].at("ts") == 12.345);
}

TEST_CASE("recorder: wholes are named for their subject, the engine's row holds complete events") {
  const auto events = recorded([](Recorder& recorder) {
    recorder.span(Track::tensors, Phase::tensor, "conv1/weight", 2'000'000, 3'000'000);
    recorder.span(Track::engine, Phase::asleep, "", 2'000'000, 2'500'001);
    recorder.instant(Track::engine, "poisoned", 2'600'000, "rank 1 died");
  });
  REQUIRE(events.size() == 4);
  CHECK(events[0].at("name") == "conv1/weight");
  CHECK(events[0].at("cat") == "tensor");
  CHECK_FALSE(events[0].at("args").contains("of"));
  CHECK(events[2].at("ph") == "X");
  CHECK(events[2].at("name") == "asleep");
  CHECK(events[2].at("dur") == 500.001);
  CHECK(events[3].at("ph") == "i");
  CHECK(events[3].at("name") == "poisoned");
  CHECK(events[3].at("args").at("detail") == "rank 1 died");
}

TEST_CASE("recorder: times before the origin and backwards are clamped") {
  const auto events = recorded([](Recorder& recorder) {
    recorder.span(Track::engine, Phase::packed, "batch", 0, 1'000'500);
    recorder.span(Track::tensors, Phase::ring, "x", 5'000'000, 4'000'000);
    recorder.instant(Track::engine, "early", -7);
  });
  REQUIRE(events.size() == 4);
  CHECK(events[0].at("ts") == 0.0);
  CHECK(events[0].at("dur") == 0.5);
  CHECK(events[1].at("ts") == 4000.0);
  CHECK(events[2].at("ts") == 4000.0);
  CHECK(events[3].at("ts") == 0.0);
}

TEST_CASE("recorder: a full ring keeps the oldest and says how many are missing") {
  const auto events = recorded(
      [](Recorder& recorder) {
        for (int number = 0; number < 20; ++number)
          recorder.instant(Track::engine, "event " + std::to_string(number), 2'000'000 + number * 1000);
      },
      {.events = 8, .period = 1h});
  REQUIRE(events.size() == 9);
  for (std::size_t index = 0; index < 8; ++index) CHECK(events[index].at("name") == "event " + std::to_string(index));
  CHECK(events[8].at("name") == "events dropped");
  CHECK(events[8].at("args").at("count") == 12);
  CHECK(events[8].at("ts") == events[7].at("ts"));
}

TEST_CASE("recorder: hostile names stay inside their strings") {
  const std::vector<std::string> names{"",
                                       "\"",
                                       "\\",
                                       "a\"},{\"b\":\"",
                                       std::string("\0\x01\x1f\x7f\n\r\t\b\f", 9),
                                       "日本語/重み",
                                       "\xff\xfe",
                                       "\xc0\x80",
                                       "\xed\xa0\x80",
                                       "\xf4\x90\x80\x80",
                                       "half \xe6\x97",
                                       "]\n]",
                                       "</script>",
                                       "%s{}",
                                       std::string(4096, 'x'),
                                       std::string(4096, '\x01'),
                                       std::string(4096, '"'),
                                       std::string(4096, '\xff')};
  const auto events = recorded([&](Recorder& recorder) {
    for (const std::string& name : names) {
      recorder.span(Track::tensors, Phase::tensor, name, 2'000'000, 3'000'000, name);
      recorder.span(Track::engine, Phase::tree, name, 2'000'000, 3'000'000, name);
      recorder.instant(Track::rounds, name, 2'000'000, name);
    }
  });
  REQUIRE(events.size() == 4 * names.size());
  for (std::size_t index = 0; index < names.size(); ++index) {
    CAPTURE(index);
    const std::string& name = names[index];
    const std::string shown = events[4 * index + 3].at("name");
    const bool is_utf8 = index < 6 || (index > 10 && index < 17);
    if (name.size() < 200 && is_utf8) CHECK(shown == name);
    if (!is_utf8) CHECK(shown.find("\xef\xbf\xbd") != std::string::npos);
    CHECK(shown.size() <= 3 * 200);
  }
}

TEST_CASE("recorder: overlapping tensors, lanes and engine spans survive every check of a viewer") {
  std::mt19937_64 random(7);
  const auto events = recorded([&](Recorder& recorder) {
    for (int number = 0; number < 5000; ++number) {
      const Nanoseconds end = 2'000'000 + number * 1000 + static_cast<Nanoseconds>(random() % 1000);
      const Nanoseconds begin = end - static_cast<Nanoseconds>(random() % 20'000);
      const auto track = static_cast<Track>(random() % 4);
      const auto phase = static_cast<Phase>(random() % 13);
      recorder.span(track, phase, "t" + std::to_string(number % 50), begin, end);
    }
  });
  std::map<std::string, int> kinds;
  for (const json& event : events) ++kinds[event.at("ph")];
  CHECK(kinds["X"] > 100);
  CHECK(kinds["b"] > 3000);
  CHECK(kinds["X"] + kinds["b"] == 5000);
}

namespace {

/// One state of the file: reading takes several system calls, and a write between two of them makes a mixture that
/// never stood on the disk. Two equal readings are a state.
std::string state_of_file(const TempDir& directory) {
  std::string text = trace_text(directory);
  while (true) {
    std::string again = trace_text(directory);
    if (again == text) return text;
    text = std::move(again);
  }
}

}  // namespace

TEST_CASE("recorder: while it records, every state of the file is valid and grows") {
  const TempDir directory;
  TraceRecorder recorder(options_in(directory), {.events = 1024, .period = 1ms});
  std::size_t seen = 0;
  Nanoseconds now = 2'000'000;
  const auto deadline = std::chrono::steady_clock::now() + 20s;
  while (seen < 3000 && std::chrono::steady_clock::now() < deadline) {
    for (int number = 0; number < 300; ++number, now += 1000)
      recorder.span(Track::batches, Phase::running, "batch", now, now + 5000, "");
    const json trace = json::parse(repaired(state_of_file(directory)));
    const std::size_t count = events_of(trace).size();
    CHECK(count >= seen);
    seen = count;
  }
  CHECK(seen >= 3000);
}

TEST_CASE("recorder: the directory is made; where it cannot be, the error gives advice") {
  const TempDir directory;
  RecorderOptions options = options_in(directory);
  options.directory += "/new/deeper";
  open_recorder(options);
  CHECK(std::filesystem::exists(options.directory + "/rank-3.json"));

  options.directory += "/rank-3.json/below-a-file";
  try {
    open_recorder(options);
    FAIL("opened below a file");
  } catch (const Error& error) {
    const std::string text = error.what();
    CHECK(error.code() == StatusCode::unavailable);
    for (const char* part : {"rank 3 on node-a", "below-a-file", "Not a directory", "TREERING_TIMELINE"})
      CHECK_MESSAGE(text.find(part) != std::string::npos, text);
  }
}

TEST_CASE("recorder: two engines of one rank write two files; an old file is replaced") {
  const TempDir directory;
  for (int run = 0; run < 2; ++run) {
    const auto first = open_recorder(options_in(directory));
    const auto second = open_recorder(options_in(directory));
    first->instant(Track::engine, "first", 2'000'000);
    second->instant(Track::engine, "second", 2'000'000);
  }
  const auto first = events_of(parse_trace(trace_text(directory)));
  const auto second = events_of(parse_trace(read_file(directory.path() + "/rank-3-2.json")));
  REQUIRE(first.size() == 1);
  REQUIRE(second.size() == 1);
  CHECK(first[0].at("name") == "first");
  CHECK(second[0].at("name") == "second");
  CHECK_FALSE(std::filesystem::exists(directory.path() + "/rank-3-3.json"));
}

TEST_CASE("no_recorder: records nothing") {
  const auto recorder = no_recorder();
  CHECK_FALSE(recorder->enabled());
  recorder->span(Track::engine, Phase::ring, "x", 0, 1);
  recorder->instant(Track::engine, "x", 0);
}
