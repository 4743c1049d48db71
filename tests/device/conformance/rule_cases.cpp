#include <array>
#include <cstring>

#include "tests/device/conformance/cases.h"

namespace treering::device::conformance {

namespace {

constexpr std::size_t size = 4096;

void unrecorded_event(Bench& bench) {
  Device& device = bench.device(0);
  const Event event = bench.event(device);
  bench.expect(device.query(event) == Progress::done, "an event that was never recorded has not happened");
  bench.ok(device.wait(bench.stream(device), event));
  bench.settle();
}

void stream_is_in_order(Bench& bench) {
  Device& device = bench.device(0);
  const Values first = bench.draw(size);
  const Values second = bench.draw(size);
  std::byte* const a = bench.memory(device, size);
  std::byte* const b = bench.memory(device, size);
  std::byte* const middle = bench.memory(device, size);
  std::byte* const last = bench.memory(device, size);
  bench.upload(device, first, a);
  bench.upload(device, second, b);
  const Stream stream = bench.stream(device);
  bench.ok(device.copy(stream, a, middle, size));
  bench.ok(device.copy(stream, middle, last, size));
  bench.ok(device.copy(stream, b, middle, size));
  bench.settle();
  bench.expect(bench.download(device, last, size) == first, "a copy was overtaken by the next of its stream");
  bench.expect(bench.download(device, middle, size) == second, "a copy was overtaken by an earlier one of its stream");
}

/// Streams wait for a value at least as large, alone, and by signed difference.
void gates(Bench& bench) {
  Device& device = bench.device(0);
  const std::uint64_t high = ~std::uint64_t{0} - 1;
  std::uint64_t* const words = bench.counters(device, 2);
  const Stream held = bench.stream(device);
  const Stream wraps = bench.stream(device);
  const Stream opener = bench.stream(device);
  bench.ok(device.write_value(opener, words + 1, high));
  bench.settle();
  bench.ok(device.wait_value(held, words, 7));
  bench.ok(device.wait_value(wraps, words + 1, 2));  // four more than `high`
  const Event free = bench.event(device);
  bench.ok(device.record(free, opener));
  bench.await(device, free);
  bench.stir();
  bench.expect(device.query(held) == Progress::pending, "a stream did not wait for a counter");
  bench.expect(device.query(wraps) == Progress::pending, "a stream took a value before the wrap for a larger one");
  bench.ok(device.write_value(opener, words, 6));
  bench.ok(device.record(free, opener));
  bench.await(device, free);
  bench.stir();
  bench.expect(device.query(held) == Progress::pending, "a stream went on at a smaller value");
  bench.ok(device.write_value(opener, words, 9));
  bench.ok(device.write_value(opener, words + 1, 3));
  bench.settle();
}

/// A wait means the point recorded before it; recording again neither holds nor releases it.
void recorded_again(Bench& bench) {
  Device& device = bench.device(0);
  std::uint64_t* const gate = bench.counters(device, 1);
  const Stream first = bench.stream(device);
  const Stream held = bench.stream(device);
  const Stream early = bench.stream(device);
  const Stream late = bench.stream(device);
  const Stream opener = bench.stream(device);
  const Event event = bench.event(device);
  const Event passed = bench.event(device);
  bench.ok(device.record(event, first));
  bench.ok(device.wait(early, event));
  bench.ok(device.record(passed, early));
  bench.ok(device.wait_value(held, gate, 1));
  bench.ok(device.record(event, held));
  bench.ok(device.wait(late, event));
  bench.await(device, passed);
  bench.stir();
  bench.expect(device.query(event) == Progress::pending, "an event that was recorded again reports its earlier point");
  bench.expect(device.query(late) == Progress::pending, "a wait passed before the point recorded last");
  bench.ok(device.write_value(opener, gate, 1));
  bench.settle();
  bench.expect(device.query(event) == Progress::done, "an event has not happened though its stream is idle");
}

void destroyed_while_pending(Bench& bench) {
  Device& device = bench.device(0);
  const Values values = bench.draw(size);
  std::byte* const from = bench.memory(device, size);
  std::byte* const to = bench.memory(device, size);
  std::byte* const last = bench.memory(device, size);
  bench.upload(device, values, from);
  std::uint64_t* const gate = bench.counters(device, 1);
  const Stream opener = bench.stream(device);
  const Stream reader = bench.stream(device);
  Stream writer;
  Event written;
  bench.ok(device.create_stream(writer));
  bench.ok(device.create_event(written));
  bench.ok(device.wait_value(writer, gate, 1));
  bench.ok(device.copy(writer, from, to, size));
  bench.ok(device.record(written, writer));
  bench.ok(device.wait(reader, written));
  bench.ok(device.copy(reader, to, last, size));
  bench.ok(device.destroy_event(written));
  bench.ok(device.write_value(opener, gate, 1));
  bench.settle();
  bench.ok(device.destroy_stream(writer));
  bench.expect(bench.download(device, last, size) == values, "a wait ended with the event that it was for");
}

void counters_are_zero(Bench& bench) {
  Device& device = bench.device(0);
  constexpr std::size_t count = 100;
  const auto* const words = reinterpret_cast<const std::byte*>(bench.counters(device, count));
  bench.expect(bench.download(device, words, count * 8) == Values(count * 8), "fresh counters are not zero");
}

void refused_arguments(Bench& bench) {
  Device& device = bench.device(0);
  const Stream stream = bench.stream(device);
  std::byte* const memory = bench.pinned(device, 64);
  const auto refused = [&](const Status& status, const char* what) {
    bench.expect(status.code() == StatusCode::invalid_argument, std::string(what) + " is not refused");
  };
  const std::vector<const std::byte*> many(max_operands + 1, memory);
  refused(device.reduce(stream, {}, many, std::array{memory}, 4), "a reduction of too many sources");
  refused(device.reduce(stream, {}, {}, std::array{memory}, 4), "a reduction of nothing");
  refused(device.cast(stream, DataType::i32, memory, DataType::f32, memory + 32, 1, 1.0), "a cast of integers");
  bench.expect(device.error().ok(), "a refused argument broke the device");
  bench.ok(device.reduce(stream, {}, std::vector<const std::byte*>(max_operands, memory), std::array{memory}, 4));
  bench.settle();
}

void nothing_to_do(Bench& bench) {
  Device& device = bench.device(0);
  const Stream stream = bench.stream(device);
  std::byte* const memory = bench.memory(device, 64);
  bench.ok(device.copy(stream, memory, memory + 32, 0));
  bench.ok(device.reduce(stream, {}, std::array<const std::byte*, 1>{memory}, std::array{memory + 32}, 0));
  bench.ok(device.cast(stream, DataType::f32, memory, DataType::f16, memory + 32, 0, 2.0));
  bench.ok(device.copy_segments(stream, nullptr, 0, 0));
  bench.settle();
}

void exports(Bench& bench) {
  Device& owner = bench.device(0, 0);
  Device& reader = bench.device(0, 1);
  const Values values = bench.draw(size);
  std::byte* const memory = bench.memory(owner, size);
  bench.upload(owner, values, memory);
  ExportedMemory exported;
  bench.expect(owner.export_memory(memory + 256, exported).code() == StatusCode::invalid_argument,
               "memory is exported from an address inside");
  bench.ok(owner.export_memory(memory, exported));
  std::byte* own = nullptr;
  bench.expect(owner.import_memory(exported, own).code() == StatusCode::invalid_argument,
               "a process imports its own memory");
  std::byte* first = nullptr;
  std::byte* again = nullptr;
  bench.ok(reader.import_memory(exported, first));
  bench.ok(reader.import_memory(exported, again));
  bench.expect(first != nullptr && first == again, "importing again gives another address");
  bench.ok(reader.close_memory(again));
  bench.expect(bench.download(reader, first, size) == values, "imported memory holds something else");
  bench.ok(reader.close_memory(first));
  bench.expect(!reader.close_memory(first).ok(), "memory is closed more often than it was imported");
  std::byte* const other = bench.memory(owner, size);
  ExportedMemory second;
  bench.ok(owner.export_memory(other, second));
  bench.expect(second.generation != exported.generation, "two allocations share a generation");
}

constexpr std::array cases = {
    Case{"an event that was never recorded has happened", 1, 1, unrecorded_event},
    Case{"a stream is in order", 1, 1, stream_is_in_order},
    Case{"streams wait for values at least as large", 1, 1, gates},
    Case{"an event recorded again leaves earlier waits alone", 1, 1, recorded_again},
    Case{"an event may be destroyed while a stream waits for it", 1, 1, destroyed_while_pending},
    Case{"fresh counters are zero", 1, 1, counters_are_zero},
    Case{"arguments that make no sense are refused", 1, 1, refused_arguments, true},
    Case{"work on nothing is fine", 1, 1, nothing_to_do},
    Case{"memory is exported whole, to others, as often as wanted", 2, 1, exports, true},
};

}  // namespace

std::span<const Case> rule_cases() { return cases; }

}  // namespace treering::device::conformance
