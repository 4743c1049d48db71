#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <set>

#include "tests/bodies/timeline.h"
#include "tests/engine/ranks.h"
#include "timeline/clock_map.h"

using namespace treering;
using namespace treering::test;
using timeline::Kind;

namespace {

class TempDir {
 public:
  TempDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "treering-timeline-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path = pattern;
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  std::string path;
};

/// Texts and records of one rank's file.
struct Recorded {
  std::vector<timeline::Record> records;
  std::map<std::uint64_t, std::string> names;
  std::map<std::string, std::string> about;

  Recorded(const std::string& directory, int rank) {
    for (const timeline::Block& block : spool_of(directory, rank)) {
      records.insert(records.end(), block.records.begin(), block.records.end());
      for (const auto& [id, name] : block.names) names[id] = name;
      for (const auto& [key, value] : block.about) about[key] = value;
    }
  }
  std::vector<timeline::Record> of(Kind kind) const {
    std::vector<timeline::Record> found;
    for (const timeline::Record& record : records)
      if (record.kind == kind) found.push_back(record);
    return found;
  }
  std::string name(const timeline::Record& record) const { return names.at(record.name); }
};

Config recording_config(const TempDir& directory, std::vector<int> nodes) {
  Config config = small_config();
  config.node_map = std::move(nodes);
  config.timeline = directory.path;
  return config;
}

}  // namespace

namespace {

constexpr int steps = 5;
constexpr std::size_t operations = 3 * steps + 2;

/// Every rank hands over in an order of its own.
void train_a_little(Engine& engine) {
  std::vector<std::vector<float>> tensors{std::vector<float>(7), std::vector<float>(900), std::vector<float>(100'000)};
  for (int step = 0; step < steps; ++step) {
    std::vector<Handle> handles;
    for (std::size_t t = 0; t < tensors.size(); ++t) {
      const std::size_t turned = (t + static_cast<std::size_t>(engine.rank())) % tensors.size();
      handles.push_back(engine.allreduce("tensor " + std::to_string(turned), view(tensors[turned]), ReduceOp::sum));
    }
    for (const Handle& handle : handles) handle.wait();
  }
  engine.allgather("gathered", view(tensors[0])).wait();
  engine.barrier("the end").wait();
}

using Keys = std::map<std::pair<std::uint64_t, std::uint64_t>, std::string>;  // (round, item) -> name
using Batches = std::map<std::uint64_t, std::multiset<std::string>>;

/// Each operation is posted, agreed and done, in this order of time.
Keys check_operations(const Recorded& recorded) {
  Keys keys;
  std::map<std::uint64_t, Nanoseconds> posted;
  for (const auto& record : recorded.of(Kind::posted)) {
    posted[record.values[0]] = record.time;
    CHECK(record.values[3] > 0);  // since it was enqueued
  }
  std::map<std::uint64_t, Nanoseconds> agreed;
  for (const auto& record : recorded.of(Kind::agreed)) {
    agreed[record.values[0]] = record.time;
    CHECK(record.time - static_cast<Nanoseconds>(record.values[3]) <= posted.at(record.values[0]));
    CHECK(keys.try_emplace({record.values[1], record.values[2]}, recorded.name(record)).second);
  }
  for (const auto& record : recorded.of(Kind::done)) {
    CHECK(record.values[1] == 0);
    CHECK(record.time - static_cast<Nanoseconds>(record.values[3]) <= agreed.at(record.values[0]));
    CHECK(record.values[2] >= record.values[3]);
  }
  CHECK(posted.size() == operations);
  CHECK(agreed.size() == operations);
  CHECK(recorded.of(Kind::done).size() == operations);
  return keys;
}

Batches check_batches(const Recorded& recorded) {
  Batches batches;
  for (const auto& record : recorded.of(Kind::member)) batches[record.values[0]].insert(recorded.name(record));
  CHECK(recorded.of(Kind::batch).size() == recorded.of(Kind::batch_done).size());
  CHECK_FALSE(recorded.of(Kind::stage).empty());
  CHECK_FALSE(recorded.of(Kind::link).empty());
  CHECK_FALSE(recorded.of(Kind::round).empty());
  return batches;
}

}  // namespace

TEST_CASE("engine timeline: the life of every operation is recorded, under keys that are equal on all ranks") {
  const TempDir directory;
  run_ranks(3, recording_config(directory, {0, 0, 1}), train_a_little);
  const Keys keys = check_operations(Recorded(directory.path, 0));
  const Batches batches = check_batches(Recorded(directory.path, 0));
  CHECK(batches.size() > 5);
  for (int rank = 0; rank < 3; ++rank) {
    CAPTURE(rank);
    const Recorded recorded(directory.path, rank);
    CHECK(recorded.about.at("rank") == std::to_string(rank));
    CHECK(recorded.about.at("node_of") == "0,0,1");
    CHECK(check_operations(recorded) == keys);
    CHECK(check_batches(recorded) == batches);
    const auto stopped = recorded.of(Kind::stopped);
    REQUIRE(stopped.size() == 1);
    CHECK(stopped[0].values[0] == static_cast<std::uint64_t>(timeline::StopCause::engine_ended));
    CHECK(std::filesystem::exists(directory.path + "/rank-" + std::to_string(rank) + ".json"));
  }
}

TEST_CASE("engine timeline: callbacks, marks and scopes are recorded on their threads") {
  const TempDir directory;
  run_ranks(1, recording_config(directory, {0}), [](Engine& engine) {
    std::vector<float> tensor(10);
    std::atomic<bool> called{false};
    {
      const auto outer = engine.mark_scope("outer");
      const auto inner = engine.mark_scope("inner");
      engine.mark("now");
      const Handle handle = engine.allreduce("called", view(tensor), ReduceOp::sum);
      handle.then([&](const Status&) { called = true; });
      handle.then([](const Status&) { throw std::runtime_error("ignored"); });
      handle.wait();
    }
    while (!called) std::this_thread::yield();
    std::thread([&] { engine.mark("elsewhere"); }).join();
    engine.allreduce("last", view(tensor), ReduceOp::sum).then([&](const Status&) { called = false; });
    while (called) std::this_thread::yield();
  });
  const Recorded recorded(directory.path, 0);
  const auto callbacks = recorded.of(Kind::callback);
  REQUIRE(callbacks.size() >= 1);  // one that throws is not timed, one that ends with the engine may be late
  CHECK(recorded.name(callbacks[0]) == "called");
  CHECK(callbacks[0].values[0] == 1);
  const auto marks = recorded.of(Kind::mark);
  REQUIRE(marks.size() == 2);
  const auto scopes = recorded.of(Kind::scope_end);
  REQUIRE(scopes.size() == 2);
  CHECK(recorded.name(scopes[0]) == "inner");
  CHECK(recorded.of(Kind::scope_begin)[1].values == scopes[0].values);
  CHECK(scopes[0].values[0] == scopes[1].values[0]);
  CHECK(callbacks[0].values[2] != scopes[0].values[0]);
}

TEST_CASE("engine timeline: a failed operation says why") {
  const TempDir directory;
  run_ranks(2, recording_config(directory, {0, 0}), [](Engine& engine) {
    std::vector<float> tensor(engine.rank() == 0 ? 3 : 4);
    CHECK_THROWS_AS(engine.allreduce("unequal", view(tensor), ReduceOp::sum).wait(), Error);
    CHECK_THROWS_AS(engine.allreduce("other", view(tensor), ReduceOp::sum).wait(), Error);
  });
  for (int rank = 0; rank < 2; ++rank) {
    const Recorded recorded(directory.path, rank);
    const auto done = recorded.of(Kind::done);
    REQUIRE(done.size() == 2);
    CHECK(done[0].values[1] != 0);
    CHECK(recorded.names.at(done[0].values[4]).find("unequal") != std::string::npos);
  }
}

TEST_CASE("engine timeline: switched on and off at random by every rank under traffic") {
  for (const std::vector<int>& nodes :
       {std::vector{0}, std::vector{0, 0}, std::vector{0, 1, 0}, std::vector{0, 1, 2, 0}}) {
    const TempDir directory;
    Config config = small_config();
    config.node_map = nodes;
    CAPTURE(nodes.size());
    run_ranks(static_cast<int>(nodes.size()), config,
              [&](Engine& engine) { timeline_switching(engine, directory.path, 100); });
  }
}

TEST_CASE("engine timeline: with and without a timeline the rounds and batches are the same") {
  std::vector<Counters> counters;
  for (const bool on : {false, true}) {
    const TempDir directory;
    Config config = recording_config(directory, {0, 0, 1});
    if (!on) config.timeline.clear();
    std::mutex mutex;
    run_ranks(3, config, [&](Engine& engine) {
      std::vector<float> tensor(50'000);
      for (const std::size_t count : {1U, 100U, 1000U, 50'000U, 3U})
        engine.allreduce("t" + std::to_string(count), view(std::span(tensor).first(count)), ReduceOp::sum).wait();
      engine.shutdown();
      const std::lock_guard lock(mutex);
      counters.push_back(engine.counters());
    });
  }
  REQUIRE(counters.size() == 6);
  for (const Counters& counter : counters) {
    CHECK(counter.rounds == counters[0].rounds);
    CHECK(counter.batches == counters[0].batches);
    CHECK(counter.bytes == counters[0].bytes);
    CHECK(counter.operations == counters[0].operations);
  }
}

TEST_CASE("engine timeline: a directory that cannot be written stops nobody; the API says it") {
  Config config = small_config();
  config.timeline = "/proc/no/such";
  run_ranks(2, config, [](Engine& engine) {
    std::vector<float> tensor(10, 1.0F);
    engine.allreduce("x", view(tensor), ReduceOp::sum).wait();
    CHECK(tensor[9] == 2.0F);
    CHECK_THROWS_AS(engine.timeline_start(), Error);
    CHECK_THROWS_AS(engine.timeline_start("/proc/no/other"), Error);
    engine.timeline_stop();
    engine.mark("nobody listens");
  });
  config.timeline.clear();
  run_ranks(1, config, [](Engine& engine) { CHECK_THROWS_AS(engine.timeline_start(), Error); });
}

TEST_CASE("engine timeline: paused, nothing is written before it is started") {
  const TempDir directory;
  Config config = recording_config(directory, {0});
  config.timeline_paused = true;
  run_ranks(1, config, [&](Engine& engine) {
    std::vector<float> tensor(10);
    engine.allreduce("before", view(tensor), ReduceOp::sum).wait();
    CHECK(std::filesystem::is_empty(directory.path));
    engine.timeline_start();
    engine.allreduce("during", view(tensor), ReduceOp::sum).wait();
  });
  const auto posted = Recorded(directory.path, 0).of(Kind::posted);
  REQUIRE(posted.size() == 1);
  CHECK(posted[0].values[0] == 2);  // its number counts from the engine's start
}

namespace {

/// A clock that is off and runs at its own speed.
class SkewedClock final : public Clock {
 public:
  SkewedClock(Nanoseconds offset, double drift) : began_(real_.now()), offset_(offset), drift_(drift) {}
  Nanoseconds now() const override { return at(real_.now()); }
  Nanoseconds at(Nanoseconds real) const {
    return real + offset_ + static_cast<Nanoseconds>(drift_ * static_cast<double>(real - began_));
  }

 private:
  RealClock real_;
  Nanoseconds began_;
  Nanoseconds offset_;
  double drift_;
};

/// Traffic and sleep by turns, until every rank has had enough.
void keep_busy(Engine& engine, std::chrono::milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  std::vector<std::int32_t> enough{0};
  for (int turn = 0; enough[0] == 0; ++turn) {
    std::this_thread::sleep_for(std::chrono::milliseconds(turn % 20));
    enough[0] = std::chrono::steady_clock::now() < until ? 0 : 1;
    engine.allreduce("enough", view(enough), ReduceOp::min).wait();
  }
}

timeline::ClockMap clock_map_of(const std::string& directory, int rank) {
  std::vector<timeline::ClockPoint> points;
  for (const auto& record : Recorded(directory, rank).of(Kind::clock)) points.push_back(clock_point(record));
  CHECK(points.size() >= (rank == 0 ? 1 : 3));
  return timeline::ClockMap(std::move(points));
}

}  // namespace

TEST_CASE("engine timeline: clocks that are hours off and drift are aligned within their bound") {
  constexpr Nanoseconds hour = 3'600'000'000'000;
  const std::vector<SkewedClock> clocks{{3 * hour, 0}, {hour, 90e-6}, {8 * hour, -70e-6}, {8 * hour, 60e-6}};
  const TempDir directory;
  Config config = recording_config(directory, {0, 1, 2, 3});
  config.fanout = 2;
  auto fabrics = transport::inproc::make_fabrics(4, fabric_options(config));
  const RealClock real;
  const Nanoseconds began = real.now();
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < 4; ++rank)
    threads.emplace_back([&, rank] {
      EngineClock own{std::make_unique<SkewedClock>(clocks[rank]), "clock " + std::to_string(rank)};
      Engine engine(start_over(config, std::move(fabrics[rank]), {}, std::move(own)));
      keep_busy(engine, std::chrono::milliseconds(2500));
    });
  for (std::thread& thread : threads) thread.join();
  const Nanoseconds ended = real.now();
  for (std::size_t rank = 0; rank < 4; ++rank) {
    CAPTURE(rank);
    const timeline::ClockMap map = clock_map_of(directory.path, static_cast<int>(rank));
    for (Nanoseconds time = began; time < ended; time += 10'000'000) {
      const Nanoseconds local = clocks[rank].at(time);
      const Nanoseconds off = std::abs(map.to_reference(local) - clocks[0].at(time));
      REQUIRE(off <= map.error_at(local));
      REQUIRE(map.error_at(local) < 250'000'000);  // a guard: how good it gets depends on who else uses the cores
    }
  }
}
