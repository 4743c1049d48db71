#include <array>
#include <cstring>

#include "tests/device/conformance/cases.h"

namespace treering::device::conformance {

namespace {

constexpr std::size_t size = 12 * 1024 + 8;
constexpr std::uint64_t chunks = 5;
constexpr std::size_t chunk = 1024;

Reduction sum_of_words() {
  Reduction what;
  what.type = DataType::i32;
  return what;
}

Values words_summed(const Values& a, const Values& b) {
  Values sum(a.size());
  const std::array<const std::byte*, 2> sources = {a.data(), b.data()};
  const std::array<std::byte*, 1> destination = {sum.data()};
  host_kernels().reduce(sum_of_words(), sources, destination, a.size());
  return sum;
}

void event_orders_streams(Bench& bench) {
  Device& device = bench.device(0);
  const Values values = bench.draw(size);
  std::byte* const first = bench.memory(device, size);
  std::byte* const middle = bench.memory(device, size);
  std::byte* const last = bench.memory(device, size);
  bench.upload(device, values, first);
  const Stream writer = bench.stream(device);
  const Stream reader = bench.stream(device);
  const Event written = bench.event(device);
  bench.ok(device.copy(writer, first, middle, size));
  bench.ok(device.record(written, writer));
  bench.ok(device.wait(reader, written));
  bench.ok(device.copy(reader, middle, last, size));
  bench.settle();
  bench.expect(bench.download(device, last, size) == values, "a copy read before the copy before it had written");
}

void event_orders_devices(Bench& bench) {
  Device& here = bench.device(0);
  Device& there = bench.device(1);
  bench.ok(here.enable_peer(there));
  const Values a = bench.draw(size);
  const Values b = bench.draw(size);
  std::byte* const far = bench.memory(there, size);
  std::byte* const far_sum = bench.memory(there, size);
  std::byte* const near = bench.memory(here, size);
  bench.upload(there, a, far);
  bench.upload(there, b, far_sum);
  bench.upload(here, b, near);
  const Stream writer = bench.stream(there);
  const Stream reader = bench.stream(here);
  const Event written = bench.event(there);
  const std::array<const std::byte*, 2> far_sources = {far, far_sum};
  bench.ok(there.reduce(writer, sum_of_words(), far_sources, std::array{far_sum}, size));
  bench.ok(there.record(written, writer));
  bench.ok(here.wait(reader, written));
  const std::array<const std::byte*, 2> near_sources = {near, far_sum};
  bench.ok(here.reduce(reader, sum_of_words(), near_sources, std::array{near}, size));
  bench.settle();
  bench.expect(bench.download(here, near, size) == words_summed(b, words_summed(a, b)),
               "a reduction read a peer's memory before the peer had written it");
}

/// One slot between a producer and a consumer: it is full, then free again, by events.
void slot_is_reused(Bench& bench) {
  Device& device = bench.device(0);
  const Values values = bench.draw(chunk * 3);
  std::byte* const from = bench.memory(device, values.size());
  std::byte* const slot = bench.memory(device, chunk);
  std::byte* const to = bench.memory(device, values.size());
  bench.upload(device, values, from);
  const Stream producer = bench.stream(device);
  const Stream consumer = bench.stream(device);
  std::array<Event, 3> full;
  std::array<Event, 2> empty;
  for (Event& event : full) event = bench.event(device);
  for (Event& event : empty) event = bench.event(device);
  for (std::size_t i = 0; i < full.size(); ++i) {
    if (i > 0) bench.ok(device.wait(producer, empty[i - 1]));
    bench.ok(device.copy(producer, from + i * chunk, slot, chunk));
    bench.ok(device.record(full[i], producer));
    bench.ok(device.wait(consumer, full[i]));
    bench.ok(device.copy(consumer, slot, to + i * chunk, chunk));
    if (i < empty.size()) bench.ok(device.record(empty[i], consumer));
  }
  bench.settle();
  bench.expect(bench.download(device, to, values.size()) == values, "a slot was overwritten or read too early");
}

void chain_is_transitive(Bench& bench) {
  Device& device = bench.device(0);
  const Values values = bench.draw(size);
  std::byte* const first = bench.memory(device, size);
  std::byte* const middle = bench.memory(device, size);
  std::byte* const last = bench.memory(device, size);
  bench.upload(device, values, first);
  const Stream a = bench.stream(device);
  const Stream b = bench.stream(device);
  const Stream c = bench.stream(device);
  const Event in_a = bench.event(device);
  const Event in_b = bench.event(device);
  bench.ok(device.copy(a, first, middle, size));
  bench.ok(device.record(in_a, a));
  bench.ok(device.wait(b, in_a));
  bench.ok(device.record(in_b, b));
  bench.ok(device.wait(c, in_b));
  bench.ok(device.copy(c, middle, last, size));
  bench.settle();
  bench.expect(bench.download(device, last, size) == values, "order was lost on the way through a stream without work");
}

void host_sees_after_event(Bench& bench) {
  Device& device = bench.device(0);
  const Values values = bench.draw(size);
  std::byte* const memory = bench.memory(device, size);
  std::byte* const seen = bench.pinned(device, size);
  std::memset(seen, 0, size);
  bench.upload(device, values, memory);
  const Stream stream = bench.stream(device);
  const Event event = bench.event(device);
  bench.ok(device.copy(stream, memory, seen, size));
  bench.ok(device.record(event, stream));
  bench.await(device, event);
  bench.expect(std::memcmp(seen, values.data(), size) == 0, "the host did not see what lies before an event");
  bench.settle();
}

/// A table of segments may be written again when the event after its copy has happened.
void table_rests_until_event(Bench& bench) {
  Device& device = bench.device(0);
  const Values values = bench.draw(2 * size);
  std::byte* const from = bench.memory(device, 2 * size);
  std::byte* const to = bench.memory(device, 2 * size);
  bench.upload(device, values, from);
  auto* const table = reinterpret_cast<CopySegment*>(bench.pinned(device, 2 * sizeof(CopySegment)));
  const Stream stream = bench.stream(device);
  const Event read = bench.event(device);
  for (std::size_t round = 0; round < 2; ++round) {
    const std::size_t begin = round * size;
    if (round > 0) bench.await(device, read);
    table[0] = {from + begin, to + begin, 1000, 0};
    table[1] = {from + begin + 1000, to + begin + 1000, size - 1000, 0};
    const std::uint64_t total = number_segments(std::span(table, 2));
    bench.ok(device.copy_segments(stream, table, 2, total));
    if (round == 0) bench.ok(device.record(read, stream));
  }
  bench.settle();
  bench.expect(bench.download(device, to, 2 * size) == values, "a table of segments was read too late");
}

/// A pipeline of chunks through two slots, with a counter for each direction: `full` beside the consumer, `empty`
/// beside the producer, each written by the other's stream.
struct Pipeline {
  Device& producer;
  Device& consumer;
  std::byte* from;
  std::byte* slots_written;  // as the producer sees them
  std::byte* slots_read;     // as the consumer does
  std::byte* to;
  std::uint64_t* full_written;
  std::uint64_t* full;
  std::uint64_t* empty_written;
  std::uint64_t* empty;

  void run(Bench& bench) const {
    const Stream producing = bench.stream(producer);
    const Stream consuming = bench.stream(consumer);
    for (std::uint64_t i = 0; i < chunks; ++i) {
      const std::size_t slot = i % 2 * chunk;
      if (i >= 2) bench.ok(producer.wait_value(producing, empty, i - 1));
      bench.ok(producer.copy(producing, from + i * chunk, slots_written + slot, chunk));
      bench.ok(producer.write_value(producing, full_written, i + 1));
      bench.ok(consumer.wait_value(consuming, full, i + 1));
      bench.ok(consumer.copy(consuming, slots_read + slot, to + i * chunk, chunk));
      bench.ok(consumer.write_value(consuming, empty_written, i + 1));
    }
    bench.settle();
  }
};

void check_pipeline(Bench& bench, Device& producer, Device& consumer,
                    const std::function<std::byte*(Device&, std::byte*, Device&)>& reach) {
  const Values values = bench.draw(chunks * chunk);
  std::byte* const from = bench.memory(producer, values.size());
  std::byte* const slots = bench.memory(consumer, 2 * chunk);
  std::byte* const to = bench.memory(consumer, values.size());
  std::uint64_t* const full = bench.counters(consumer, 1);
  std::uint64_t* const empty = bench.counters(producer, 1);
  bench.upload(producer, values, from);
  const auto words = [&](Device& owner, std::uint64_t* counters, Device& other) {
    return reinterpret_cast<std::uint64_t*>(reach(owner, reinterpret_cast<std::byte*>(counters), other));
  };
  std::byte* const slots_written = reach(consumer, slots, producer);
  std::uint64_t* const full_written = words(consumer, full, producer);
  std::uint64_t* const empty_written = words(producer, empty, consumer);
  if (!bench.wrong().empty()) return;
  Pipeline{producer, consumer, from, slots_written, slots, to, full_written, full, empty_written, empty}.run(bench);
  bench.expect(bench.download(consumer, to, values.size()) == values,
               "a chunk of a pipeline was read or overwritten too early");
}

void counters_order_streams(Bench& bench) {
  check_pipeline(bench, bench.device(0), bench.device(0), [](Device&, std::byte* memory, Device&) { return memory; });
}

void counters_order_devices(Bench& bench) {
  bench.ok(bench.device(0).enable_peer(bench.device(1)));
  bench.ok(bench.device(1).enable_peer(bench.device(0)));
  check_pipeline(bench, bench.device(0), bench.device(1), [](Device&, std::byte* memory, Device&) { return memory; });
}

void counters_order_processes(Bench& bench) {
  check_pipeline(bench, bench.device(0, 0), bench.device(0, 1),
                 [&](Device& owner, std::byte* memory, Device& other) { return bench.shared(owner, memory, other); });
}

constexpr std::array cases = {
    Case{"an event orders two streams", 1, 1, event_orders_streams},
    Case{"an event orders streams of two devices", 1, 2, event_orders_devices},
    Case{"a slot is reused by events", 1, 1, slot_is_reused},
    Case{"order passes through a stream without work", 1, 1, chain_is_transitive},
    Case{"the host sees what lies before an event", 1, 1, host_sees_after_event},
    Case{"a table rests until its event", 1, 1, table_rests_until_event},
    Case{"counters order two streams", 1, 1, counters_order_streams},
    Case{"counters order two devices", 1, 2, counters_order_devices},
    Case{"counters order two processes", 2, 1, counters_order_processes},
};

}  // namespace

std::span<const Case> ordered_cases() { return cases; }

}  // namespace treering::device::conformance
