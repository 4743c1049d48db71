// NCCL with a single rank, driven like any number: real calls that copy and nothing else. Nothing to see on other
// backends.

#include <doctest/doctest.h>

#include <cstring>

#include "tests/gpu/device_under_test.h"
#include "tests/gpu/scratch.h"
#include "transport/nccl/communicators.h"
#include "transport/nccl/library.h"
#include "transport/sleep.h"

using namespace treering;
using namespace treering::device;
using namespace treering::test;
using namespace treering::transport;

namespace {

bool on_cuda() { return device_under_test().info().kind == DeviceKind::cuda; }

struct OneRank {
  std::unique_ptr<DeviceCollectives> library;
  RealClock clock;
  std::unique_ptr<Communicators> communicators;

  OneRank() {
    must(device_under_test(), open_nccl(library));
    std::vector<CommunicatorSpec> specs;
    for (const char* name : {"first", "second"}) {
      CommunicatorSpec& spec = specs.emplace_back();
      spec.name = name;
      spec.device = &device_under_test();
      must(device_under_test(), library->draw_id(spec.id));
    }
    communicators = std::make_unique<Communicators>(*library, specs, CollectiveDeadlines{}, clock);
    run([&] { return communicators->phase() != Communicators::Phase::creating; });
    REQUIRE_MESSAGE(communicators->failure().ok(), communicators->failure().message());
  }

  /// Steps until `finished`; the deadlines of the communicators bound it.
  template <class Finished>
  void run(Finished finished) {
    while (!finished() && communicators->failure().ok())
      if (!communicators->step()) poll_for({}, 50'000);
  }
};

}  // namespace

TEST_CASE("nccl: one rank sums itself up, over two communicators in turn") {
  if (!on_cuda()) return;
  OneRank one;
  const Scratch scratch(device_under_test(), 2 << 20);
  const std::size_t half = scratch.bytes() / 2;
  for (const DataType type : {DataType::f32, DataType::bf16, DataType::i64, DataType::boolean}) {
    for (std::size_t i = 0; i < half; ++i)
      scratch.pinned()[i] = static_cast<std::byte>(type == DataType::boolean ? i % 2 : i % 61);
    std::memset(scratch.pinned() + half, 0x55, half);
    scratch.up(scratch.bytes());
    std::uint64_t last = 0;
    for (std::size_t communicator = 0; communicator < 2; ++communicator) {
      const std::size_t bytes = half / 2;
      const CollectiveCall call{communicator,
                                scratch.memory() + communicator * bytes,
                                scratch.memory() + half + communicator * bytes,
                                bytes / size_of(type),
                                type,
                                ReduceOp::sum,
                                scratch.stream()};
      last = one.communicators->launch(std::span(&call, 1));
    }
    one.run([&] { return one.communicators->is_done(last); });
    REQUIRE_MESSAGE(one.communicators->failure().ok(), one.communicators->failure().message());
    scratch.down(scratch.bytes());
    CAPTURE(name_of(type));
    CHECK(std::memcmp(scratch.pinned(), scratch.pinned() + half, half) == 0);
  }
  one.communicators->end();
  one.run([&] { return one.communicators->phase() == Communicators::Phase::ended; });
  CHECK(one.communicators->phase() == Communicators::Phase::ended);
}

TEST_CASE("nccl: communicators with work under way are aborted in time") {
  if (!on_cuda()) return;
  OneRank one;
  const Scratch scratch(device_under_test(), 1 << 20);
  const CollectiveCall call{
      0, scratch.memory(), scratch.memory(), 1000, DataType::f32, ReduceOp::max, scratch.stream()};
  one.communicators->launch(std::span(&call, 1));
  one.communicators->step();
  one.communicators->abort({StatusCode::rank_failed, "a test's cause"});
  while (one.communicators->phase() != Communicators::Phase::aborted)
    if (!one.communicators->step()) poll_for({}, 50'000);
  CHECK(one.communicators->left_behind().empty());
  CHECK(one.communicators->failure().message().find("a test's cause") != std::string::npos);
  CHECK(device_under_test().error().ok());
}
