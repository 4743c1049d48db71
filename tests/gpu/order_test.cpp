// What orders work on a device, and that it is that which orders it: each case runs with the event or counter, and
// again without, and must see the difference. A gate, a counter that the test raises, holds a stream where it shall
// wait; so nothing depends on how fast anything is.

#include <doctest/doctest.h>

#include <cstring>

#include "tests/gpu/device_under_test.h"
#include "tests/gpu/scratch.h"

using namespace treering;
using namespace treering::device;
using namespace treering::test;

namespace {

constexpr std::size_t bytes = 1 << 20;
constexpr std::byte old_value{0x11};
constexpr std::byte new_value{0x22};

/// Two streams and memory that one writes and the other reads: source -> middle by the first, middle -> target by the
/// second. The first stream stands at a gate. Meanwhile nothing is allocated or freed, for which CUDA waits.
struct Pipeline {
  Device& device = device_under_test();
  Scratch first{device, 4 * bytes};
  Scratch second{device, bytes};
  Scratch third{device, bytes};
  std::uint64_t* gate = nullptr;
  OwnedEvent event;

  Pipeline() {
    must(device, device.allocate_counters(2, gate));
    Event made;
    must(device, device.create_event(made));
    event = OwnedEvent(device, made);
    std::memset(first.pinned(), static_cast<int>(old_value), 4 * bytes);
    std::memset(first.pinned(), static_cast<int>(new_value), bytes);
    first.up(4 * bytes);
    must(device, device.wait_value(first.stream(), gate, 1));
    must(device, device.copy(first.stream(), source(), middle(), bytes));
  }
  ~Pipeline() {
    open_from_elsewhere();
    must(device, device.synchronize(first.stream()));
    must(device, device.synchronize(second.stream()));
    must(device, device.free(reinterpret_cast<std::byte*>(gate)));
  }

  std::byte* source() const { return first.memory(); }
  std::byte* middle() const { return first.memory() + bytes; }
  std::byte* target() const { return first.memory() + 2 * bytes; }

  void open() const { must(device, device.write_value(second.stream(), gate, 1)); }
  void open_from_elsewhere() const { must(device, device.write_value(third.stream(), gate, 1)); }
  void consume() const { must(device, device.copy(second.stream(), middle(), target(), bytes)); }
  /// What the second stream has brought to the target.
  std::byte result() const {
    must(device, device.copy(second.stream(), target(), second.pinned(), bytes));
    must(device, device.synchronize(second.stream()));
    return second.pinned()[bytes - 1];
  }
};

}  // namespace

TEST_CASE("order: a consumer that waits for the producer's event sees what it made") {
  Pipeline pipeline;
  must(pipeline.device, pipeline.device.record(pipeline.event.get(), pipeline.first.stream()));
  must(pipeline.device, pipeline.device.wait(pipeline.second.stream(), pipeline.event.get()));
  pipeline.consume();
  CHECK(pipeline.device.query(pipeline.event.get()) == Progress::pending);
  CHECK(pipeline.device.query(pipeline.second.stream()) == Progress::pending);
  pipeline.open_from_elsewhere();
  CHECK(pipeline.result() == new_value);
  CHECK(pipeline.device.query(pipeline.event.get()) == Progress::done);
}

TEST_CASE("order: without the wait it goes ahead and sees what was there before") {
  Pipeline pipeline;
  must(pipeline.device, pipeline.device.record(pipeline.event.get(), pipeline.first.stream()));
  pipeline.consume();
  CHECK(pipeline.result() == old_value);
  CHECK(pipeline.device.query(pipeline.event.get()) == Progress::pending);
}

TEST_CASE("order: an event recorded before the work says nothing about it") {
  Pipeline pipeline;
  Event early;
  must(pipeline.device, pipeline.device.create_event(early));
  must(pipeline.device, pipeline.device.record(early, pipeline.second.stream()));
  must(pipeline.device, pipeline.device.wait(pipeline.second.stream(), early));
  pipeline.consume();
  CHECK(pipeline.result() == old_value);
  must(pipeline.device, pipeline.device.destroy_event(early));
}

TEST_CASE("order: a wait means the point that was recorded when it was enqueued") {
  Pipeline pipeline;
  must(pipeline.device, pipeline.device.record(pipeline.event.get(), pipeline.first.stream()));
  must(pipeline.device, pipeline.device.wait(pipeline.second.stream(), pipeline.event.get()));
  must(pipeline.device, pipeline.device.record(pipeline.event.get(), pipeline.third.stream()));  // done at once
  pipeline.consume();
  CHECK(pipeline.device.query(pipeline.second.stream()) == Progress::pending);
  pipeline.open_from_elsewhere();
  CHECK(pipeline.result() == new_value);
}

TEST_CASE("order: a counter written behind the work carries it over; written before the work it does not") {
  for (const bool behind : {true, false}) {
    CAPTURE(behind);
    Pipeline pipeline;
    std::uint64_t* const done = pipeline.gate + 1;
    if (behind) {
      must(pipeline.device, pipeline.device.write_value(pipeline.first.stream(), done, 5));
    } else {
      must(pipeline.device, pipeline.device.write_value(pipeline.third.stream(), done, 5));
      must(pipeline.device, pipeline.device.synchronize(pipeline.third.stream()));
    }
    must(pipeline.device, pipeline.device.wait_value(pipeline.second.stream(), done, 5));
    pipeline.consume();
    if (behind) {
      CHECK(pipeline.device.query(pipeline.second.stream()) == Progress::pending);
      pipeline.open_from_elsewhere();
    }
    CHECK(pipeline.result() == (behind ? new_value : old_value));
  }
}

TEST_CASE("order: a counter lets pass at its value and above, and not below") {
  Pipeline pipeline;
  std::uint64_t* const counter = pipeline.gate + 1;
  must(pipeline.device, pipeline.device.wait_value(pipeline.second.stream(), counter, 3));
  must(pipeline.device, pipeline.device.write_value(pipeline.third.stream(), counter, 2));
  must(pipeline.device, pipeline.device.synchronize(pipeline.third.stream()));
  CHECK(pipeline.device.query(pipeline.second.stream()) == Progress::pending);
  must(pipeline.device, pipeline.device.write_value(pipeline.third.stream(), counter, 1ULL << 62));
  must(pipeline.device, pipeline.device.synchronize(pipeline.second.stream()));
  CHECK(pipeline.device.query(pipeline.second.stream()) == Progress::done);
}

TEST_CASE("order: a stream is first in, first out, kernels and copies alike") {
  Pipeline pipeline;
  Device& device = pipeline.device;
  const Stream stream = pipeline.first.stream();
  const std::byte* const sources[] = {pipeline.middle(), pipeline.middle()};
  std::byte* const destination = pipeline.target();
  must(device, device.reduce(stream, {DataType::u8, ReduceOp::sum}, sources, std::span(&destination, 1), bytes));
  must(device, device.copy(stream, pipeline.target(), pipeline.first.pinned(), bytes));
  CHECK(device.query(stream) == Progress::pending);
  pipeline.open();
  must(device, device.synchronize(stream));
  CHECK(pipeline.first.pinned()[0] == std::byte{0x44});
  CHECK(pipeline.first.pinned()[bytes - 1] == std::byte{0x44});
}

TEST_CASE("order: wrong arguments come back and break nothing") {
  Device& device = device_under_test();
  const Scratch scratch(device, bytes);
  const std::byte* const source = scratch.memory();
  std::vector<const std::byte*> many(max_operands + 1, source);
  std::byte* const destination = scratch.memory();
  CHECK(device.reduce(scratch.stream(), {}, many, std::span(&destination, 1), 16).code() ==
        StatusCode::invalid_argument);
  CHECK(device.cast(scratch.stream(), DataType::i32, source, DataType::f32, destination, 1, 1).code() ==
        StatusCode::invalid_argument);
  CHECK(device.free(scratch.memory() + 8).code() == StatusCode::invalid_argument);
  CHECK(device.error().ok());
  must(device, device.synchronize(scratch.stream()));
}
