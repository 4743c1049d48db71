#include <doctest/doctest.h>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <memory>
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

/// True if the child, a process of its own, played well.
bool ended_well(pid_t child) {
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

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
