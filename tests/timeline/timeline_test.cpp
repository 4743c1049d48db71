#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "tests/timeline/trace_support.h"
#include "timeline/timeline.h"
#include "treering/status.h"

using namespace treering;
using namespace treering::timeline;
using nlohmann::json;
using namespace std::chrono_literals;

namespace {

/// A timeline of rank 3 whose zero lies at 1 ms.
struct Bench {
  TempDir directory;
  RealClock clock;
  Log log{LogLevel::off, 3};

  TimelineOptions options() const {
    TimelineOptions made;
    made.rank = 3;
    made.host = "node-a";
    made.about = {{"rank", "3"}, {"size", "8"}, {"host", "node-a"}, {"origin", "1000000"}};
    return made;
  }
  std::unique_ptr<Timeline> make(TimelineOptions made) const {
    return std::make_unique<Timeline>(std::move(made), clock, log);
  }
  std::unique_ptr<Timeline> make() const { return make(options()); }
  std::string path(const std::string& name = "rank-3.trace") const { return directory.path() + "/" + name; }
  std::vector<Block> blocks() const { return blocks_of(read_file(path())); }
};

/// Records with `record`, finishes, and gives the events of rank-3.json back, checked.
template <class Use>
std::vector<json> converted(const Use& use) {
  const Bench bench;
  {
    const auto timeline = bench.make();
    timeline->start(bench.directory.path());
    use(*timeline);
  }
  check_spool(bench.blocks());
  const json trace = parse_trace(read_file(bench.path("rank-3.json")));
  check_trace(trace);
  return events_of(trace);
}

std::vector<json> of_category(const std::vector<json>& events, const std::string& category) {
  std::vector<json> found;
  std::ranges::copy_if(events, std::back_inserter(found),
                       [&](const json& event) { return event.at("cat") == category; });
  return found;
}

}  // namespace

TEST_CASE("timeline: without events both files are valid and name process and rows") {
  const Bench bench;
  {
    const auto timeline = bench.make();
    CHECK_FALSE(timeline->enabled());
    timeline->start(bench.directory.path());
    CHECK(timeline->enabled());
    check_spool(bench.blocks());  // from the beginning, not only at the end
  }
  const auto stopped = records_of(bench.blocks(), {Kind::stopped});
  REQUIRE(stopped.size() == 1);
  CHECK(stopped[0].values[0] == static_cast<std::uint64_t>(StopCause::engine_ended));
  const json trace = parse_trace(read_file(bench.path("rank-3.json")));
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

TEST_CASE("timeline: the life of a tensor is drawn from its records, in microseconds from the origin") {
  const auto events = converted([](Timeline& timeline) {
    const std::uint32_t name = timeline.name("conv1/weight");
    timeline.record({Kind::posted, name, 1'012'345, {1, 0, 4000, 10'342, 1}});
    timeline.record({Kind::agreed, name, 1'020'000, {1, 5, 2, 7655}});
    timeline.record({Kind::done, name, 1'050'000, {1, 0, 47'997, 30'000, 0}});
  });
  const auto begin_of = [&](const std::string& category) {
    const auto found = of_category(events, category);
    REQUIRE(found.size() == 2);
    CHECK(found[0].at("ph") == "b");
    CHECK(found[1].at("ph") == "e");
    return found[0];
  };
  CHECK(begin_of("enqueued").at("ts") == 2.003);
  CHECK(begin_of("posted").at("ts") == 12.345);
  CHECK(begin_of("agreed").at("ts") == 20.0);
  CHECK(begin_of("posted").at("name") == "posted");
  CHECK(begin_of("posted").at("args").at("of") == "conv1/weight");
  const json whole = begin_of("tensor");
  CHECK(whole.at("name") == "conv1/weight");
  CHECK(whole.at("ts") == 2.003);
  CHECK_FALSE(whole.at("args").contains("of"));
  CHECK(of_category(events, "tensor")[1].at("ts") == 50.0);
}

TEST_CASE("timeline: failures, rounds, batches, marks, scopes, sleeps and counters are drawn") {
  const auto events = converted([](Timeline& timeline) {
    const std::uint32_t a = timeline.name("a");
    const std::uint32_t failed = timeline.name("rank 1 died");
    const std::uint32_t path = timeline.name("staged");
    timeline.record({Kind::done, a, 2'000'000, {1, 5, 1000, 0, failed}});
    timeline.record({Kind::round, 0, 2'000'000, {9, 2, 800, 2}});
    timeline.record({Kind::batch, 0, 2'000'000, {4, 9, 800, 2, 0, 0}});
    timeline.record({Kind::member, a, 2'000'000, {4, 9, 0, 0, 400}});
    timeline.record({Kind::member, timeline.name("b"), 2'000'000, {4, 9, 1, 0, 400}});
    timeline.record({Kind::stage, 0, 2'010'000, {4, static_cast<std::uint64_t>(Phase::tree), 5000}});
    timeline.record({Kind::batch_done, 0, 2'030'000, {4, path, 1, 30'000, 25'000, 800}});
    timeline.record({Kind::asleep, 0, 2'000'000, {500'001}});
    timeline.record({Kind::loop, 0, 2'000'000, {1'000'000, 300'000, 200'000, 500'000, 7}});
    timeline.record_here({Kind::mark, timeline.name("forward"), 2'000'000}, 0);
    timeline.record_here({Kind::scope_begin, timeline.name("backward"), 2'000'000, {0, 1}}, 0);
    timeline.record_here({Kind::scope_end, timeline.name("backward"), 2'100'000, {0, 1}}, 0);
    timeline.record_here({Kind::scope_end, timeline.name("began before"), 2'100'000, {0, 99}}, 0);
    timeline.record_here({Kind::scope_begin, timeline.name("hangs"), 2'100'000, {0, 2}}, 0);
  });
  CHECK(of_category(events, "tensor")[0].at("args").at("detail") == "failed: rank 1 died");
  const auto instants = of_category(events, "instant");
  REQUIRE(instants.size() == 1);
  CHECK(instants[0].at("name") == "round 9");
  CHECK(instants[0].at("args").at("detail") == "2 items, 800 bytes, cut because window full");
  const auto running = of_category(events, "running");
  CHECK(running.at(0).at("name") == "a and 1 more");
  CHECK(running.at(0).at("ts") == 1005.0);
  CHECK(running.at(0).at("args").at("detail") == "batch 4, lane 1, 800 bytes, staged");
  CHECK(of_category(events, "queued").at(0).at("ts") == 1000.0);
  CHECK(of_category(events, "tree").at(0).at("args").at("of") == "a and 1 more");
  const auto asleep = of_category(events, "asleep");
  REQUIRE(asleep.size() == 1);
  CHECK(asleep[0].at("ph") == "X");
  CHECK(asleep[0].at("dur") == 500.001);
  CHECK(of_category(events, "counters").at(0).at("args").at("working") == 300);
  CHECK(of_category(events, "mark").at(0).at("name") == "forward");
  const auto scopes = of_category(events, "scope");
  REQUIRE(scopes.size() == 4);
  CHECK(scopes[1].at("ts") == 1100.0);
}

TEST_CASE("timeline: hostile names stay inside their strings") {
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
  const auto events = converted([&](Timeline& timeline) {
    for (const std::string& name : names) {
      const std::uint32_t id = timeline.name(name);
      timeline.record({Kind::done, id, 2'000'000, {1, 1, 100, 0, id}});
      timeline.record_here({Kind::mark, id, 2'000'000}, 0);
    }
  });
  const auto tensors = of_category(events, "tensor");
  REQUIRE(tensors.size() == 2 * names.size());
  for (std::size_t index = 0; index < names.size(); ++index) {
    CAPTURE(index);
    const std::string& name = names[index];
    const std::string shown = tensors[2 * index].at("name");
    const bool is_utf8 = index < 6 || (index > 10 && index < 17);
    if (name.size() < 200 && is_utf8) CHECK(shown == name);
    if (!is_utf8) CHECK(shown.find("\xef\xbf\xbd") != std::string::npos);
    CHECK(shown.size() <= 3 * 200);
  }
}

TEST_CASE("timeline: a full ring keeps the oldest and says how many are missing") {
  const Bench bench;
  TimelineOptions options = bench.options();
  options.engine_events = 8;
  options.user_events = 4;
  options.period = 1h;
  {
    const auto timeline = bench.make(std::move(options));
    timeline->start(bench.directory.path());
    for (int number = 0; number < 20; ++number) timeline->record({Kind::asleep, 0, number});
    for (int number = 0; number < 10; ++number) timeline->record_here({Kind::mark, 0, number}, 0);
  }
  const auto blocks = bench.blocks();
  check_spool(blocks);
  const auto kept = records_of(blocks, {Kind::asleep});
  REQUIRE(kept.size() == 8);
  for (std::size_t index = 0; index < 8; ++index) CHECK(kept[index].time == static_cast<Nanoseconds>(index));
  CHECK(records_of(blocks, {Kind::mark}).size() == 4);
  std::uint64_t dropped = 0;
  for (const Record& record : records_of(blocks, {Kind::dropped})) dropped += record.values[0];
  CHECK(dropped == 12 + 6);
}

TEST_CASE("timeline: every record of every thread arrives, in the order of its thread") {
  constexpr int threads = 4;
  constexpr std::uint64_t count = 20'000;
  const Bench bench;
  TimelineOptions options = bench.options();
  options.engine_events = 32'768;
  options.user_events = 32'768;
  options.period = 1ms;
  {
    const auto timeline = bench.make(std::move(options));
    timeline->start(bench.directory.path());
    std::vector<std::thread> all;
    for (int thread = 0; thread < threads; ++thread)
      all.emplace_back([&, thread] {
        const std::uint32_t name = timeline->name("thread " + std::to_string(thread));
        for (std::uint64_t i = 1; i <= count; ++i)
          timeline->record_here({Kind::scope_begin, name, static_cast<Nanoseconds>(i), {0, i}}, 0);
      });
    for (std::uint64_t i = 1; i <= count; ++i) timeline->record({Kind::asleep, 0, static_cast<Nanoseconds>(i), {i}});
    for (std::thread& thread : all) thread.join();
  }
  const auto blocks = bench.blocks();
  check_spool(blocks);
  std::map<std::uint32_t, std::uint64_t> next;
  std::map<std::uint32_t, std::uint64_t> number;
  for (const Record& record : records_of(blocks, {Kind::scope_begin})) {
    REQUIRE(record.values[1] == ++next[record.name]);
    REQUIRE(number.try_emplace(record.name, record.values[0]).first->second == record.values[0]);
  }
  REQUIRE(next.size() == threads);
  for (const auto& [name, seen] : next) CHECK(seen == count);
  CHECK(records_of(blocks, {Kind::asleep}).size() == count);
  CHECK(records_of(blocks, {Kind::dropped}).empty());
}

TEST_CASE("timeline: recordings follow each other in one file; a file of its own for each directory") {
  const Bench bench;
  const TempDir elsewhere;
  const auto timeline = bench.make();
  timeline->record({Kind::asleep, 0, 1, {1}});  // before the first start: nowhere
  for (std::uint64_t turn = 1; turn <= 5; ++turn) {
    timeline->start(bench.directory.path());
    timeline->start(bench.directory.path());  // already on: nothing happens
    timeline->record({Kind::asleep, 0, 1, {turn}});
    timeline->stop();
    timeline->stop();
    CHECK_FALSE(timeline->enabled());
    timeline->record({Kind::asleep, 0, 1, {100}});  // a late one of the engine's: dropped by the next start
  }
  const auto blocks = bench.blocks();
  check_spool(blocks);
  const auto kept = records_of(blocks, {Kind::asleep});
  REQUIRE(kept.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) CHECK(kept[i].values[0] == i + 1);
  CHECK(std::ranges::count_if(blocks, &Block::begins_recording) == 5);
  CHECK(blocks.back().header.recording == 5);
  CHECK(records_of(blocks, {Kind::stopped}).size() == 5);

  timeline->start(bench.directory.path());
  timeline->start(elsewhere.path());
  timeline->finish(StopCause::engine_ended);
  timeline->start(elsewhere.path());  // finished is finished
  CHECK_FALSE(timeline->enabled());
  const auto other = blocks_of(read_file(elsewhere.path() + "/rank-3.trace"));
  check_spool(other);
  CHECK(other.front().header.recording == 1);
  CHECK(std::filesystem::exists(elsewhere.path() + "/rank-3.json"));
}

TEST_CASE("timeline: switched on and off at random by several threads while others record, every block is whole") {
  const Bench bench;
  TimelineOptions options = bench.options();
  options.period = 1ms;
  const auto timeline = bench.make(std::move(options));
  std::atomic<bool> ending{false};
  std::vector<std::thread> recorders;
  recorders.emplace_back([&] {
    for (std::uint64_t i = 0; !ending; ++i)
      if (timeline->enabled()) timeline->record({Kind::asleep, 0, timeline->enabled() ? 5 : 6, {i}});
  });
  for (int thread = 0; thread < 2; ++thread)
    recorders.emplace_back([&] {
      while (!ending) timeline->record_here({Kind::mark, timeline->name("mark"), 7}, 0);
    });
  std::vector<std::thread> switches;
  for (unsigned seed = 0; seed < 2; ++seed)
    switches.emplace_back([&, seed] {
      std::mt19937 random(seed);
      for (int turn = 0; turn < 50; ++turn) {
        random() % 2 == 0 ? timeline->start(bench.directory.path()) : timeline->stop();
        for (auto pause = random() % 200; pause > 0; --pause) std::this_thread::yield();
      }
    });
  for (std::thread& thread : switches) thread.join();
  ending = true;
  for (std::thread& thread : recorders) thread.join();
  timeline->finish(StopCause::engine_ended);
  SpoolDamage damage;
  const auto blocks = blocks_of(read_file(bench.path()), &damage);
  check_spool(blocks);
  CHECK(damage.skipped == 0);
  const auto begun = std::ranges::count_if(blocks, &Block::begins_recording);
  CHECK(begun > 5);
  CHECK(static_cast<std::ptrdiff_t>(records_of(blocks, {Kind::stopped}).size()) == begun);
}

TEST_CASE("timeline: a window ends the recording by itself") {
  const Bench bench;
  TimelineOptions options = bench.options();
  options.period = 1ms;
  options.limits.window = {RecordWindow::Unit::steps, 1, 3};
  const auto timeline = bench.make(std::move(options));
  timeline->start(bench.directory.path());
  const std::uint32_t names[] = {timeline->name("first"), timeline->name("second")};
  for (int step = 0; step < 5; ++step)
    for (const std::uint32_t name : names) timeline->record({Kind::posted, name, step, {1}});
  const auto deadline = std::chrono::steady_clock::now() + 60s;
  while (timeline->enabled()) {
    REQUIRE(std::chrono::steady_clock::now() < deadline);
    std::this_thread::yield();
  }
  timeline->stop();
  const auto blocks = bench.blocks();
  check_spool(blocks);
  const auto posted = records_of(blocks, {Kind::posted});
  REQUIRE(posted.size() == 4);
  CHECK(posted.front().time == 1);
  CHECK(posted.back().time == 2);
  const auto stopped = records_of(blocks, {Kind::stopped});
  REQUIRE(stopped.size() == 1);
  CHECK(stopped[0].values[0] == static_cast<std::uint64_t>(StopCause::limit));
}

TEST_CASE("timeline: a directory that cannot be written is an error of start, and the timeline stays off") {
  const Bench bench;
  const auto timeline = bench.make();
  CHECK_THROWS_AS(timeline->start("/proc/no/such"), Error);
  CHECK_FALSE(timeline->enabled());
  timeline->record({Kind::asleep, 0, 1});
  timeline->start(bench.directory.path());
  CHECK(timeline->enabled());
}

TEST_CASE("timeline: spools above the limit are not converted") {
  const Bench bench;
  TimelineOptions options = bench.options();
  options.json_limit = 500;
  {
    const auto timeline = bench.make(std::move(options));
    timeline->start(bench.directory.path());
    for (int i = 0; i < 1000; ++i) timeline->record({Kind::asleep, 0, i});
  }
  CHECK_FALSE(std::filesystem::exists(bench.path("rank-3.json")));
  check_spool(bench.blocks());
}

TEST_CASE("no_recorder: records nothing") {
  const auto recorder = no_recorder();
  CHECK_FALSE(recorder->enabled());
  CHECK(recorder->name("x") == 0);
  recorder->record({Kind::asleep, 0, 1});
}
