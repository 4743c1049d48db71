// A device's kernels against the rules, computed in float64 on the host. Everything around operands is poisoned, on the
// device too, so that a write beside them shows.

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>

#include "device/host/cast.h"
#include "device/reduction_rules.h"
#include "tests/device/oracle.h"
#include "tests/device/patterns.h"
#include "tests/device/reduce_case.h"
#include "tests/gpu/device_under_test.h"
#include "tests/gpu/scratch.h"

using namespace treering;
using namespace treering::device;
using namespace treering::device::tests;
using namespace treering::test;

namespace {

constexpr std::size_t margin = 64;  // what ReduceCase leaves around its operands at least

/// Operands of a reduction on the host, and where they lie on the device: with their surroundings, and as aligned.
class Mirror {
 public:
  explicit Mirror(const Scratch& scratch) : scratch_(scratch) {}

  std::byte* place(std::byte* operand, std::size_t bytes) {
    const auto known = offsets_.find(operand);
    if (known != offsets_.end()) return scratch_.memory() + known->second;
    const std::size_t offset = (used_ + margin + 63) / 64 * 64 + reinterpret_cast<std::uintptr_t>(operand) % 64;
    used_ = offset + bytes + margin;
    REQUIRE(used_ <= scratch_.bytes());
    std::memcpy(scratch_.pinned() + offset - margin, operand - margin, bytes + 2 * margin);
    offsets_[operand] = offset;
    return scratch_.memory() + offset;
  }

  void up() const { scratch_.up(used_); }
  void down(std::size_t bytes) const {
    scratch_.down(used_);
    for (const auto& [operand, offset] : offsets_)
      std::memcpy(operand - margin, scratch_.pinned() + offset - margin, bytes + 2 * margin);
  }

 private:
  const Scratch& scratch_;
  std::size_t used_ = 0;
  std::map<std::byte*, std::size_t> offsets_;
};

void reduce_on_device(const Scratch& scratch, const Reduction& what, const std::vector<const std::byte*>& sources,
                      const std::vector<std::byte*>& destinations, std::size_t bytes) {
  Mirror mirror(scratch);
  std::vector<const std::byte*> device_sources;
  std::vector<std::byte*> device_destinations;
  for (const std::byte* source : sources) device_sources.push_back(mirror.place(const_cast<std::byte*>(source), bytes));
  for (std::byte* destination : destinations) device_destinations.push_back(mirror.place(destination, bytes));
  mirror.up();
  Device& device = device_under_test();
  must(device, device.reduce(scratch.stream(), what, device_sources, device_destinations, bytes));
  mirror.down(bytes);
}

void check(const Scratch& scratch, const ReduceCase& one) {
  const auto on_device = [&](const Reduction& what, const std::vector<const std::byte*>& sources,
                             const std::vector<std::byte*>& destinations,
                             std::size_t bytes) { reduce_on_device(scratch, what, sources, destinations, bytes); };
  const auto by_the_rules = [](const Reduction& what, const std::vector<const std::byte*>& sources,
                               const std::vector<std::byte*>& destinations, std::size_t bytes) {
    if (!is_plain_copy(without_idle_factors(what), sources.size()))
      return reduce_by_the_rules(what, sources, destinations, bytes);
    for (std::byte* destination : destinations)
      if (bytes > 0) std::memmove(destination, sources[0], bytes);
  };
  const bool equal = one.run(on_device) == one.run(by_the_rules);
  CHECK_MESSAGE(equal, one.describe());
}

constexpr DataType floating[] = {DataType::f16, DataType::bf16, DataType::f32, DataType::f64};

}  // namespace

TEST_CASE("kernels: a few reductions of each type and operation") {
  const Scratch scratch(device_under_test(), 1 << 20);
  std::mt19937_64 random(5);
  for (int type = 0; type < data_type_count; ++type)
    for (int op = 0; op < reduce_op_count; ++op)
      for (const std::size_t elements : {1U, 33U, 1000U})
        check(scratch,
              ReduceCase({static_cast<DataType>(type), static_cast<ReduceOp>(op)}, 3, {-1, 1}, elements, random));
}

TEST_CASE("kernels: every type, operation, number of operands, alias, factor and odd length") {
  const Scratch scratch(device_under_test(), 1 << 20);
  for (int type = 0; type < data_type_count; ++type)
    for_each_case(static_cast<DataType>(type), [&](const ReduceCase& one) { check(scratch, one); });
}

TEST_CASE("kernels: long reductions, aligned and not, up to the largest number of operands") {
  const Scratch scratch(device_under_test(), std::size_t{40} << 20);
  std::mt19937_64 random(7);
  for (int type = 0; type < data_type_count; ++type) {
    const auto kind = static_cast<DataType>(type);
    check(scratch, ReduceCase({kind, ReduceOp::sum}, 4, {-1, 2}, (std::size_t{100'000} + 24) / size_of(kind), random));
    check(scratch, ReduceCase({kind, ReduceOp::max}, max_operands, Aliases(max_operands, -1), 301, random));
  }
  // More than all threads of a launch take at once.
  check(scratch, ReduceCase({DataType::f32, ReduceOp::sum}, 2, {-1}, (std::size_t{9} << 20) / 4 + 1, random));
}

TEST_CASE("kernels: casts between all floating types") {
  const Scratch scratch(device_under_test(), 4 << 20);
  Device& device = device_under_test();
  std::mt19937_64 random(11);
  for (const DataType from : floating)
    for (const DataType to : floating)
      for (const std::size_t elements : {1U, 31U, 100'003U}) {
        const std::size_t room = std::size_t{1} << 20;
        std::vector<std::byte> source(elements * size_of(from));
        fill_with_patterns(from, source.data(), source.size(), random);
        std::vector<std::byte> expected(2 * room, std::byte{0x3c});
        std::memcpy(expected.data(), source.data(), source.size());
        std::memcpy(scratch.pinned(), expected.data(), expected.size());
        host_cast(from, source.data(), to, expected.data() + room + size_of(to), elements, 0.3);
        scratch.up(expected.size());
        must(device, device.cast(scratch.stream(), from, scratch.memory(), to, scratch.memory() + room + size_of(to),
                                 elements, 0.3));
        scratch.down(expected.size());
        CAPTURE(name_of(from));
        CAPTURE(name_of(to));
        CHECK(std::memcmp(scratch.pinned(), expected.data(), expected.size()) == 0);
      }
}

TEST_CASE("kernels: packing and unpacking, many pieces of any size and address") {
  const Scratch scratch(device_under_test(), 8 << 20);
  Device& device = device_under_test();
  std::mt19937_64 random(13);
  std::byte* table_memory = nullptr;
  must(device, device.allocate_pinned(4000 * sizeof(CopySegment), table_memory));
  const OwnedPinned owner(device, table_memory);
  for (int round = 0; round < 12; ++round) {
    const std::size_t room = scratch.bytes() / 2;
    fill_with_patterns(DataType::u8, scratch.pinned(), scratch.bytes(), random);
    std::vector<std::byte> expected(scratch.pinned(), scratch.pinned() + scratch.bytes());
    std::vector<CopySegment> table;
    const std::size_t largest = round % 4 == 0 ? 1'000'000 : round % 4 == 1 ? 5000 : 40;
    std::size_t from = random() % 16;
    std::size_t to = room + random() % 16;
    while (table.size() < 4000) {
      const std::size_t bytes = random() % largest;
      if (from + bytes > room || to + bytes > scratch.bytes()) break;
      table.push_back({scratch.memory() + from, scratch.memory() + to, bytes, 0});
      std::memcpy(expected.data() + to, expected.data() + from, bytes);
      from += bytes + random() % 20;
      to += bytes + (random() % 2 == 0 ? 16 : random() % 20);
    }
    const std::uint64_t total = number_segments(table);
    std::memcpy(table_memory, table.data(), table.size() * sizeof(CopySegment));
    scratch.up(scratch.bytes());
    must(device, device.copy_segments(scratch.stream(), reinterpret_cast<const CopySegment*>(table_memory),
                                      table.size(), total));
    scratch.down(scratch.bytes());
    CHECK(std::memcmp(scratch.pinned(), expected.data(), expected.size()) == 0);
  }
}
