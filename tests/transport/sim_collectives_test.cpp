#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "device/sim/devices.h"
#include "transport/nccl/communicators.h"
#include "transport/sim/collectives.h"

using namespace treering;
using namespace treering::transport;

namespace {

constexpr int processes = 3;
constexpr int rounds = 10;
constexpr std::size_t count = 501;

std::int32_t value(int rank, int round, std::size_t i) {
  return static_cast<std::int32_t>(i) * (rank + 1) - round * 1000 * rank;
}

/// One process of the job, with the clock of the machine. True if all its results are right.
bool run_rank(int rank, const CommunicatorId& id) {
  std::vector<std::unique_ptr<device::Device>> devices;
  if (!device::sim::open_devices({.seed = static_cast<std::uint64_t>(rank)}, devices).ok()) return false;
  device::Device& device = *devices[0];
  std::byte* memory = nullptr;
  std::byte* pinned = nullptr;
  device::Stream stream;
  constexpr std::size_t bytes = count * sizeof(std::int32_t);
  if (!device.allocate(bytes, memory).ok() || !device.allocate_pinned(bytes, pinned).ok() ||
      !device.create_stream(stream).ok())
    return false;
  sim::Collectives library(static_cast<std::uint64_t>(rank) + 5);
  const RealClock clock;
  Communicators communicators(library, {{"all", id, rank, processes, &device}}, {}, clock);
  auto* const words = reinterpret_cast<std::int32_t*>(pinned);
  bool good = true;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < count; ++i) words[i] = value(rank, round, i);
    good &= device.copy(stream, pinned, memory, bytes).ok();
    const CollectiveCall call = {0, memory, memory, count, DataType::i32, ReduceOp::sum, stream};
    const std::uint64_t ticket = communicators.launch({&call, 1});
    while (!communicators.is_done(ticket) && communicators.failure().ok()) communicators.step();
    good &= device.copy(stream, memory, pinned, bytes).ok() && device.synchronize(stream).ok();
    for (std::size_t i = 0; i < count; ++i) {
      std::int32_t sum = 0;
      for (int other = 0; other < processes; ++other) sum += value(other, round, i);
      good &= words[i] == sum;
    }
  }
  communicators.end();
  while (communicators.phase() != Communicators::Phase::ended && communicators.failure().ok()) communicators.step();
  return good && communicators.failure().ok() && library.misuses().empty() && device::sim::misuses(device).empty();
}

}  // namespace

TEST_CASE("sim collectives: processes reduce together") {
  sim::Collectives drawer(0);
  CommunicatorId id;
  REQUIRE(drawer.draw_id(id).ok());
  std::vector<pid_t> children;
  for (int rank = 0; rank < processes; ++rank) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(run_rank(rank, id) ? 0 : 1);
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    CHECK(::waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
  }
}

TEST_CASE("sim collectives: an id that names nothing, a seat taken twice") {
  std::vector<std::unique_ptr<device::Device>> devices;
  REQUIRE(device::sim::open_devices({.count = 2}, devices).ok());
  sim::Collectives library(1);
  DeviceCommunicator communicator;
  CHECK(library.create({}, 0, 1, *devices[0], "none", communicator) == CallState::failed);
  CHECK(library.describe_error(communicator).find("no id") != std::string::npos);
  library.begin_abort(communicator);
  while (library.abort_state(communicator) != CallState::success) {
  }
  CommunicatorId id;
  REQUIRE(library.draw_id(id).ok());
  CHECK(library.create(id, 0, 2, *devices[0], "twice", communicator) == CallState::in_progress);
  DeviceCommunicator other;
  CHECK(library.create(id, 0, 2, *devices[1], "twice", other) == CallState::failed);
  CHECK(library.describe_error(other).find("joins twice") != std::string::npos);
  CHECK(library.all_reduce(communicator, nullptr, nullptr, 0, DataType::f32, ReduceOp::sum, {}) ==
        CallState::invalid_argument);
  CHECK_FALSE(library.misuses().empty());
}

TEST_CASE("sim collectives: min and max lose NaN, as NCCL's do") {
  std::vector<std::unique_ptr<device::Device>> devices;
  REQUIRE(device::sim::open_devices({.count = 2}, devices).ok());
  sim::Collectives library(1);
  CommunicatorId id;
  REQUIRE(library.draw_id(id).ok());
  DeviceCommunicator communicators[2];
  std::byte* memory[2] = {};
  std::byte* pinned = nullptr;
  REQUIRE(devices[0]->allocate_pinned(16, pinned).ok());
  const float inputs[2][2] = {{NAN, NAN}, {-3.0F, NAN}};
  library.begin_group();
  for (std::size_t rank = 0; rank < 2; ++rank) {
    static_cast<void>(library.create(id, static_cast<int>(rank), 2, *devices[rank], "pair", communicators[rank]));
    REQUIRE(devices[rank]->allocate(8, memory[rank]).ok());
    std::memcpy(pinned, inputs[rank], 8);
    REQUIRE(devices[rank]->copy({}, pinned, memory[rank], 8).ok());
    REQUIRE(devices[rank]->synchronize({}).ok());
  }
  static_cast<void>(library.end_group());
  const auto settle = [&] {
    for (int polls = 0; polls < 100; ++polls)
      for (const DeviceCommunicator communicator : communicators) static_cast<void>(library.state(communicator));
  };
  settle();
  library.begin_group();
  for (std::size_t rank = 0; rank < 2; ++rank)
    CHECK(library.all_reduce(communicators[rank], memory[rank], memory[rank], 2, DataType::f32, ReduceOp::max, {}) ==
          CallState::success);
  static_cast<void>(library.end_group());
  settle();
  for (std::size_t rank = 0; rank < 2; ++rank) REQUIRE(devices[rank]->synchronize({}).ok());
  float result[2];
  REQUIRE(devices[0]->copy({}, memory[0], pinned, 8).ok());
  REQUIRE(devices[0]->synchronize({}).ok());
  std::memcpy(result, pinned, 8);
  CHECK(result[0] == -3.0F);
  CHECK(result[1] != result[1]);
}
