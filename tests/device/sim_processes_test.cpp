#include <doctest/doctest.h>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "base/unique_fd.h"
#include "device/sim/devices.h"

using namespace treering;
using namespace treering::device;

namespace {

constexpr std::uint64_t rounds = 50;
constexpr std::size_t words = 777;

/// What one process tells the other at start.
struct Hello {
  ExportedMemory slot;
  ExportedMemory counter;
};

/// One end of a ping-pong between two processes: in each round it adds one to everything in its slot and writes the sum
/// into the other's slot, then raises the other's counter.
class Player {
 public:
  Player(int socket, bool begins, std::uint64_t seed) : begins_(begins) {
    good_ = sim::open_devices({.seed = seed}, devices_).ok() && device().allocate(bytes, slot_).ok() &&
            device().allocate(bytes, scratch_).ok() && device().allocate_pinned(bytes, pinned_).ok() &&
            device().allocate_counters(1, counter_).ok() && device().create_stream(stream_).ok();
    Hello mine;
    Hello other;
    good_ = good_ && device().export_memory(slot_, mine.slot).ok() &&
            device().export_memory(reinterpret_cast<std::byte*>(counter_), mine.counter).ok() &&
            ::write(socket, &mine, sizeof mine) == sizeof mine && ::read(socket, &other, sizeof other) == sizeof other;
    std::byte* counter = nullptr;
    good_ = good_ && device().import_memory(other.slot, other_slot_).ok() &&
            device().import_memory(other.counter, counter).ok();
    other_counter_ = reinterpret_cast<std::uint64_t*>(counter);
  }

  /// Whether everything went well and the numbers are right in the end.
  bool play() {
    if (!good_) return false;
    auto* const ones = reinterpret_cast<std::int32_t*>(pinned_);
    for (std::size_t i = 0; i < words; ++i) ones[i] = 1;
    good_ &= device().copy(stream_, pinned_, scratch_, bytes).ok();
    if (begins_) good_ &= device().copy(stream_, pinned_, slot_, bytes).ok();
    for (std::uint64_t round = 1; round <= rounds; ++round) turn(round);
    good_ &= device().copy(stream_, slot_, pinned_, bytes).ok() && device().synchronize(stream_).ok();
    const auto expected = static_cast<std::int32_t>(begins_ ? 2 * rounds + 1 : 2 * rounds);
    for (std::size_t i = 0; i < words; ++i) good_ &= ones[i] == expected;
    return good_ && sim::misuses(device()).empty();
  }

 private:
  static constexpr std::size_t bytes = words * sizeof(std::int32_t);

  Device& device() { return *devices_[0]; }
  void turn(std::uint64_t round) {
    const std::vector<const std::byte*> sources = {slot_, scratch_};
    const std::vector<std::byte*> destination = {other_slot_};
    Reduction what;
    what.type = DataType::i32;
    if (!begins_) good_ &= device().wait_value(stream_, counter_, round).ok();
    good_ &= device().reduce(stream_, what, sources, destination, bytes).ok() &&
             device().write_value(stream_, other_counter_, round).ok();
    if (begins_) good_ &= device().wait_value(stream_, counter_, round).ok();
  }

  bool begins_;
  bool good_ = false;
  std::vector<std::unique_ptr<Device>> devices_;
  std::byte* slot_ = nullptr;
  std::byte* scratch_ = nullptr;
  std::byte* pinned_ = nullptr;
  std::byte* other_slot_ = nullptr;
  std::uint64_t* counter_ = nullptr;
  std::uint64_t* other_counter_ = nullptr;
  Stream stream_;
};

/// Rounds of: write a number, copy it twice over two streams and an event, and read it back right.
int count_rounds(Device& device, int thread) {
  constexpr std::size_t size = 4096;
  std::byte* pinned = nullptr;
  std::byte* memory = nullptr;
  Stream first;
  Stream second;
  Event event;
  if (!device.allocate_pinned(2 * size, pinned).ok() || !device.allocate(2 * size, memory).ok() ||
      !device.create_stream(first).ok() || !device.create_stream(second).ok() || !device.create_event(event).ok())
    return 0;
  int right = 0;
  for (int round = 0; round < 20; ++round) {
    const std::vector<std::byte> values(size, static_cast<std::byte>(thread * 50 + round));
    std::memcpy(pinned, values.data(), size);
    bool ok = device.copy(first, pinned, memory, size).ok() && device.record(event, first).ok();
    ok = ok && device.wait(second, event).ok() && device.copy(second, memory, memory + size, size).ok();
    ok = ok && device.copy(second, memory + size, pinned + size, size).ok() && device.synchronize(second).ok();
    right += ok && std::memcmp(pinned + size, values.data(), size) == 0;
  }
  return right;
}

/// True if the child, a process of its own, played well.
bool ended_well(pid_t child) {
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST_CASE("sim: two ranks that are threads of one process are like two processes") {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    int sockets[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    const UniqueFd mine(sockets[0]);
    const UniqueFd other(sockets[1]);
    // Both live until both are done: each writes into the other's memory.
    std::unique_ptr<Player> players[2];
    bool good[2] = {false, false};
    std::thread opponent([&] {
      players[1] = std::make_unique<Player>(other.get(), false, seed * 5 + 1);
      good[1] = players[1]->play();
    });
    players[0] = std::make_unique<Player>(mine.get(), true, seed);
    good[0] = players[0]->play();
    opponent.join();
    CHECK(good[0]);
    CHECK(good[1]);
  }
}

TEST_CASE("sim: threads use streams of one device at the same time") {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    std::vector<std::unique_ptr<Device>> devices;
    REQUIRE(sim::open_devices({.seed = seed}, devices).ok());
    int right[4] = {};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) threads.emplace_back([&, t] { right[t] = count_rounds(*devices[0], t); });
    for (std::thread& thread : threads) thread.join();
    for (const int count : right) CHECK(count == 20);
    CHECK(sim::misuses(*devices[0]).empty());
  }
}

TEST_CASE("sim: two processes share memory and counters, and nothing else") {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    int sockets[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    UniqueFd mine(sockets[0]);
    UniqueFd other(sockets[1]);
    const pid_t child = ::fork();
    if (child == 0) {
      mine.reset();
      Player player(other.get(), false, seed * 5 + 1);
      const bool good = player.play();
      // Stay until the parent is done: its counter and slot live here.
      char end = 0;
      const bool told = ::read(other.get(), &end, 1) >= 0;
      ::_exit(good && told ? 0 : 1);
    }
    other.reset();
    {
      Player player(mine.get(), true, seed);
      CHECK(player.play());
    }
    mine.reset();
    CHECK(ended_well(child));
  }
}
