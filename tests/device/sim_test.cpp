#include "device/sim/devices.h"

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "device/sim/sim_device.h"

using namespace treering;
using namespace treering::device;

namespace {

/// Software devices whose work runs at once (seed 0), or as the seed says.
struct Software {
  std::vector<std::unique_ptr<Device>> devices;

  explicit Software(int count, std::uint64_t seed = 0) {
    sim::Options options;
    options.count = count;
    options.seed = seed;
    open(options);
  }
  explicit Software(const sim::Options& options) { open(options); }
  void open(const sim::Options& options) { REQUIRE(sim::open_devices(options, devices).ok()); }

  Device& operator[](std::size_t i) { return *devices[i]; }
  std::byte* memory(std::size_t device, std::size_t bytes) {
    std::byte* memory = nullptr;
    REQUIRE(devices[device]->allocate(bytes, memory).ok());
    return memory;
  }
  std::byte* pinned(std::size_t bytes) {
    std::byte* memory = nullptr;
    REQUIRE(devices[0]->allocate_pinned(bytes, memory).ok());
    return memory;
  }
  Stream stream(std::size_t device) {
    Stream stream;
    REQUIRE(devices[device]->create_stream(stream).ok());
    return stream;
  }
  void run() {
    while (devices[0]->progress()) {
    }
  }
  bool noted(const std::string& part) {
    for (const std::string& line : sim::misuses(*devices[0]))
      if (line.find(part) != std::string::npos) return true;
    return false;
  }
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A collective as hardware sees it: it takes its place on the device and keeps it until all its members have come.
struct Meeting {
  int expected = 0;
  int arrived = 0;
};
class Member final : public sim::Task {
 public:
  explicit Member(std::shared_ptr<Meeting> meeting) : meeting_(std::move(meeting)) {}
  bool resides() const override { return true; }
  sim::Outcome step(const sim::Resolve&, std::string&) override {
    if (!arrived_) ++meeting_->arrived;
    arrived_ = true;
    return meeting_->arrived == meeting_->expected ? sim::Outcome::done : sim::Outcome::blocked;
  }
  bool touches(const std::byte*, std::size_t) const override { return false; }

 private:
  std::shared_ptr<Meeting> meeting_;
  bool arrived_ = false;
};

void join(Device& device, Stream stream, const std::shared_ptr<Meeting>& meeting) {
  auto& software = dynamic_cast<sim::SimDevice&>(device);
  REQUIRE(software.launch(stream, std::make_shared<Member>(meeting)).ok());
}

}  // namespace

TEST_CASE("sim: work that touches memory out of reach breaks its device, and says why") {
  const auto meets = [](auto&& prepare, const std::string& why) {
    Software sim(2);
    std::byte* const address = prepare(sim);
    CHECK(sim[0].copy({}, address, sim.memory(0, 64), 64).ok());
    sim.run();
    CHECK(contains(sim[0].error().message(), why));
    CHECK(sim[0].query(Stream{}) == Progress::failed);
    CHECK_FALSE(sim[0].copy({}, address, address, 1).ok());
    CHECK(sim[1].error().ok());
  };
  meets([](Software& sim) { return sim.memory(1, 64); }, "without peer access");
  meets([](Software& sim) { return sim.memory(0, 63); }, "more than was allocated");
  meets([](Software&) { return reinterpret_cast<std::byte*>(4096); }, "no memory that a device knows");
  meets(
      [](Software& sim) {
        std::byte* const memory = sim.memory(0, 64);
        CHECK(sim[0].free(memory).ok());
        return memory;
      },
      "freed memory");
}

TEST_CASE("sim: imported memory is for the device that imported it, and dies with its owner's") {
  Software owner(1);
  Software reader(2);
  std::byte* const memory = owner.memory(0, 64);
  ExportedMemory exported;
  REQUIRE(owner[0].export_memory(memory, exported).ok());
  std::byte* imported = nullptr;
  REQUIRE(reader[0].import_memory(exported, imported).ok());
  CHECK(owner[0].free(memory).code() == StatusCode::invalid_argument);
  CHECK(owner.noted("imported"));
  CHECK(reader[1].copy({}, imported, reader.memory(1, 64), 64).ok());
  reader.run();
  CHECK(contains(reader[1].error().message(), "only device 0 has imported"));
  REQUIRE(reader[0].close_memory(imported).ok());
  CHECK(owner[0].free(memory).ok());
  CHECK(reader[0].import_memory(exported, imported).code() == StatusCode::invalid_argument);
}

TEST_CASE("sim: peers and exports can be missing") {
  sim::Options options;
  options.count = 3;
  options.apart = {{2, 0}};
  options.exports = false;
  Software sim(options);
  CHECK(sim[0].can_reach(sim[1].info()));
  CHECK_FALSE(sim[0].can_reach(sim[2].info()));
  CHECK(sim[0].enable_peer(sim[2]).code() == StatusCode::unavailable);
  Software other(1);
  ExportedMemory exported;
  REQUIRE(other[0].export_memory(other.memory(0, 8), exported).ok());
  std::byte* imported = nullptr;
  CHECK(sim[0].import_memory(exported, imported).code() == StatusCode::unavailable);
  CHECK(sim[0].enable_peer(other[0]).code() == StatusCode::invalid_argument);
}

TEST_CASE("sim: stale handles and other devices' are noticed") {
  Software sim(2);
  const Stream stream = sim.stream(0);
  Event event;
  REQUIRE(sim[0].create_event(event).ok());
  CHECK_FALSE(sim[1].copy(stream, nullptr, nullptr, 0).ok());
  CHECK(sim.noted("a stream of device 0 is used on device 1"));
  CHECK_FALSE(sim[1].record(event, sim.stream(1)).ok());
  CHECK(sim.noted("an event of another device"));
  REQUIRE(sim[0].destroy_event(event).ok());
  CHECK_FALSE(sim[0].record(event, stream).ok());
  CHECK_FALSE(sim[0].wait(stream, event).ok());
  CHECK(sim[0].query(event) == Progress::failed);
  CHECK_FALSE(sim[0].destroy_event(event).ok());
  REQUIRE(sim[0].destroy_stream(stream).ok());
  CHECK_FALSE(sim[0].write_value(stream, nullptr, 1).ok());
  CHECK_FALSE(sim[0].destroy_stream(stream).ok());
}

TEST_CASE("sim: memory with work under way is not freed; counters are local and aligned") {
  Software sim(2);
  std::uint64_t* gate = nullptr;
  REQUIRE(sim[0].allocate_counters(2, gate).ok());
  std::byte* const memory = sim.memory(0, 64);
  const Stream stream = sim.stream(0);
  CHECK(sim[0].wait_value(stream, gate, 1).ok());
  CHECK(sim[0].copy(stream, memory, memory + 32, 32).ok());
  CHECK(sim[0].free(memory).code() == StatusCode::invalid_argument);
  std::byte* const other = sim.memory(0, 8);
  CHECK(sim[0].free(other).code() == StatusCode::invalid_argument);
  CHECK(sim.noted("stands at a counter"));
  CHECK(sim[0].free(reinterpret_cast<std::byte*>(gate)).code() == StatusCode::invalid_argument);
  CHECK(sim[1].wait_value({}, gate, 1).code() == StatusCode::invalid_argument);
  auto* const odd = reinterpret_cast<std::uint64_t*>(reinterpret_cast<std::byte*>(gate) + 4);
  CHECK(sim[0].write_value(stream, odd, 1).code() == StatusCode::invalid_argument);
  CHECK(sim[0].write_value(sim.stream(0), gate, 1).ok());
  sim.run();
  CHECK(sim[0].free(other).ok());
  CHECK(sim[0].free(memory).ok());
  CHECK(sim[0].free(memory).code() == StatusCode::invalid_argument);
}

TEST_CASE("sim: what is not of the dispatch path is refused on it, to the thread that is there") {
  Software sim(2);
  std::byte* memory = nullptr;
  Stream stream;
  Event event;
  ExportedMemory exported;
  sim[0].enter_dispatch();
  for (const Status& status : {sim[0].allocate(8, memory), sim[1].allocate_pinned(8, memory), sim[0].free(memory),
                               sim[0].create_stream(stream), sim[0].create_event(event), sim[0].enable_peer(sim[1]),
                               sim[0].import_memory(exported, memory), sim[0].synchronize({}), sim[0].preload(),
                               sim[0].destroy_stream({}), sim[0].destroy_event({})})
    CHECK(contains(status.message(), "dispatch path"));
  CHECK(sim[0].query(Stream{}) == Progress::done);
  sim[0].leave_dispatch();
  CHECK(sim[0].allocate(8, memory).ok());
}

TEST_CASE("sim: a stream under capture takes no work") {
  Software sim(1);
  const Stream stream = sim.stream(0);
  CHECK_FALSE(sim[0].is_capturing(stream));
  sim::set_capturing(sim[0], stream, true);
  CHECK(sim[0].is_capturing(stream));
  std::byte* const memory = sim.memory(0, 8);
  CHECK_FALSE(sim[0].copy(stream, memory, memory + 4, 4).ok());
  sim::set_capturing(sim[0], stream, false);
  CHECK(sim[0].copy(stream, memory, memory + 4, 4).ok());
}

TEST_CASE("sim: faults on purpose: a launch, a device, a stream that hangs") {
  Software sim(3);
  std::array<std::byte*, 3> memory{};
  for (std::size_t i = 0; i < 3; ++i) memory[i] = sim.memory(i, 8);
  const auto copy = [&](std::size_t i) { return sim[i].copy({}, memory[i], memory[i] + 4, 4); };
  sim::inject(sim[0], {sim::FaultKind::launch, 1});
  sim::inject(sim[1], {sim::FaultKind::broken, 1});
  sim::inject(sim[2], {sim::FaultKind::hang, 1});
  for (std::size_t i = 0; i < 3; ++i) CHECK(copy(i).ok());
  CHECK(copy(0).code() == StatusCode::internal);
  CHECK(copy(0).ok());
  CHECK(copy(1).ok());
  CHECK(copy(2).ok());
  CHECK(copy(2).ok());
  sim.run();
  CHECK(sim[0].query(Stream{}) == Progress::done);
  CHECK(sim[1].query(Stream{}) == Progress::failed);
  CHECK(contains(sim[1].error().message(), "on purpose"));
  CHECK(sim[2].query(Stream{}) == Progress::pending);
  CHECK(sim[2].error().ok());
  CHECK(contains(sim::dump(sim[2]), "that hangs"));
}

TEST_CASE("sim: collectives hold their places, so two in different orders stop each other") {
  const auto end = [](bool crossed, int resident) {
    sim::Options options;
    options.count = 2;
    options.resident = resident;
    Software sim(options);
    const auto first = std::make_shared<Meeting>(Meeting{2, 0});
    const auto second = std::make_shared<Meeting>(Meeting{2, 0});
    std::array<Stream, 4> streams;
    for (std::size_t i = 0; i < 4; ++i) streams[i] = sim.stream(i / 2);
    join(sim[0], streams[0], first);
    join(sim[0], streams[1], second);
    join(sim[1], streams[2], crossed ? second : first);
    join(sim[1], streams[3], crossed ? first : second);
    sim.run();
    int done = 0;
    for (std::size_t i = 0; i < 4; ++i) done += sim[i / 2].query(streams[i]) == Progress::done;
    return done;
  };
  CHECK(end(false, 1) == 4);
  CHECK(end(true, 1) == 0);
  CHECK(end(true, 2) == 4);
}

TEST_CASE("sim: a kernel of the user follows the device's addresses, in the order of its stream") {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Software sim(1, seed);
    auto* const memory = reinterpret_cast<int*>(sim.memory(0, 4 * sizeof(int)));
    auto* const seen = reinterpret_cast<int*>(sim.pinned(4 * sizeof(int)));
    const Stream stream = sim.stream(0);
    CHECK(sim::launch(sim[0], stream, [=] {
            for (int i = 0; i < 4; ++i) memory[i] = i * 3;
          }).ok());
    CHECK(sim::launch(sim[0], stream, [=] {
            for (int i = 0; i < 4; ++i) memory[i] += 1;
          }).ok());
    CHECK(sim[0].copy(stream, reinterpret_cast<std::byte*>(memory), reinterpret_cast<std::byte*>(seen), 16).ok());
    CHECK(sim[0].synchronize(stream).ok());
    for (int i = 0; i < 4; ++i) CHECK(seen[i] == i * 3 + 1);
  }
}

TEST_CASE("sim: fresh memory holds garbage, and a device has only so much") {
  sim::Options options;
  options.memory = 4096;
  Software sim(options);
  std::byte* const memory = sim.memory(0, 3000);
  auto* const seen = reinterpret_cast<float*>(sim.pinned(3000));
  CHECK(sim[0].copy({}, memory, reinterpret_cast<std::byte*>(seen), 3000).ok());
  CHECK(sim[0].synchronize({}).ok());
  for (int i = 0; i < 750; ++i) CHECK(seen[i] != seen[i]);
  std::byte* more = nullptr;
  CHECK(sim[0].allocate(2000, more).code() == StatusCode::unavailable);
  CHECK(sim[0].free(memory).ok());
  CHECK(sim[0].allocate(2000, more).ok());
  CHECK(sim::open_devices({.count = 0}, sim.devices).code() == StatusCode::unavailable);
}

TEST_CASE("sim: one seed always gives the same run, and seeds differ") {
  const auto history = [](std::uint64_t seed) {
    Software sim(2, seed);
    std::string order;
    for (int i = 0; i < 12; ++i) {
      const std::size_t device = static_cast<std::size_t>(i % 2);
      const char name = static_cast<char>('a' + i);
      CHECK(sim::launch(sim[device], sim.stream(device), [&order, name] { order += name; }).ok());
      static_cast<void>(sim[0].query(Stream{}));
    }
    sim.run();
    return order;
  };
  std::set<std::string> all;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CHECK(history(seed) == history(seed));
    CHECK(history(seed).size() == 12);
    all.insert(history(seed));
  }
  CHECK(all.size() > 10);  // a quarter of the seeds runs everything at once
}
