#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "device/kernels.h"
#include "tests/device/oracle.h"
#include "tests/device/patterns.h"
#include "tests/device/reduce_case.h"

using namespace treering;
using namespace treering::device;
using namespace treering::device::tests;

namespace {

/// Whether all levels do what the rules say.
void check_case(const ReduceCase& one) {
  const auto expected = one.run(reduce_by_the_rules);
  for (const HostKernels* kernels : all_host_kernels()) {
    const bool equal = one.run(kernels->reduce) == expected;
    CHECK_MESSAGE(equal, kernels->name << ": " << one.describe());
  }
}

void check_type(DataType type) { for_each_case(type, check_case); }

std::vector<float> reduce_floats(const HostKernels& kernels, const Reduction& what,
                                 const std::vector<std::vector<float>>& inputs) {
  std::vector<const std::byte*> sources;
  for (const auto& input : inputs) sources.push_back(reinterpret_cast<const std::byte*>(input.data()));
  std::vector<float> output(inputs[0].size());
  std::byte* const destination = reinterpret_cast<std::byte*>(output.data());
  kernels.reduce(what, sources, std::span(&destination, 1), output.size() * sizeof(float));
  return output;
}

}  // namespace

TEST_CASE("u8 kernels keep the rules") { check_type(DataType::u8); }
TEST_CASE("i8 kernels keep the rules") { check_type(DataType::i8); }
TEST_CASE("i32 kernels keep the rules") { check_type(DataType::i32); }
TEST_CASE("i64 kernels keep the rules") { check_type(DataType::i64); }
TEST_CASE("f16 kernels keep the rules") { check_type(DataType::f16); }
TEST_CASE("bf16 kernels keep the rules") { check_type(DataType::bf16); }
TEST_CASE("f32 kernels keep the rules") { check_type(DataType::f32); }
TEST_CASE("f64 kernels keep the rules") { check_type(DataType::f64); }
TEST_CASE("bool kernels keep the rules") { check_type(DataType::boolean); }

TEST_CASE("many sources are combined in their order") {
  std::mt19937_64 random(99);
  for (const DataType type : {DataType::f32, DataType::f16, DataType::i8}) {
    for (const std::uint32_t sources : {16U, 33U, 64U}) {
      check_case(ReduceCase({type, ReduceOp::sum, 0.5, sources}, sources, {0, -1}, 1001, random));
      check_case(ReduceCase({type, ReduceOp::sum, 0.5, sources}, sources, {-1, 3, -1}, 4099, random));
    }
  }
  // 1e8 absorbs each one that comes after it, but not those that came before.
  for (const HostKernels* kernels : all_host_kernels()) {
    const auto result = reduce_floats(*kernels, {}, {{4, 1e8F}, {4, 4}, {1e8F, 4}, {-1e8F, -1e8F}});
    CHECK(result[0] == 8);
    CHECK(result[1] == 0);
  }
}

TEST_CASE("a value known by heart for each rule of floats") {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::bit_cast<float>(0xffc12345U);
  const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
  for (const HostKernels* kernels : all_host_kernels()) {
    CAPTURE(kernels->name);
    Reduction what;
    CHECK(bits(reduce_floats(*kernels, what, {{inf}, {-inf}})[0]) == 0x7fc00000U);
    CHECK(bits(reduce_floats(*kernels, what, {{nan}, {1}})[0]) == 0x7fc00000U);
    CHECK(bits(reduce_floats(*kernels, what, {{nan}})[0]) == 0xffc12345U);  // a copy
    what.finish = Finish::scale;
    what.scale = 0.5;
    CHECK(bits(reduce_floats(*kernels, what, {{nan}})[0]) == 0x7fc00000U);
    CHECK(reduce_floats(*kernels, what, {{3}, {4}})[0] == 3.5F);
    for (const ReduceOp op : {ReduceOp::min, ReduceOp::max}) {
      CHECK(bits(reduce_floats(*kernels, {DataType::f32, op}, {{1}, {nan}, {-inf}, {inf}})[0]) == 0x7fc00000U);
      const std::uint32_t zero = op == ReduceOp::min ? 0x80000000U : 0;
      CHECK(bits(reduce_floats(*kernels, {DataType::f32, op}, {{0.0F}, {-0.0F}})[0]) == zero);
      CHECK(bits(reduce_floats(*kernels, {DataType::f32, op}, {{-0.0F}, {0.0F}})[0]) == zero);
    }
  }
}

TEST_CASE("quotients of integers are truncated, at the ends of the range too") {
  for (const HostKernels* kernels : all_host_kernels()) {
    const std::vector<std::int32_t> values = {INT32_MIN, INT32_MIN + 1, -7, -1, 0, 1, 7, INT32_MAX - 1, INT32_MAX};
    const std::byte* const source = reinterpret_cast<const std::byte*>(values.data());
    for (const std::int64_t divisor : {2, 3, 5, 1000, INT32_MAX - 1, INT32_MAX}) {
      for (const std::int64_t larger : {std::int64_t{0}, std::int64_t{1} << 31, std::int64_t{1} << 60}) {
        std::vector<std::int32_t> result(values.size());
        std::byte* const destination = reinterpret_cast<std::byte*>(result.data());
        kernels->reduce({DataType::i32, ReduceOp::average, 1, 0, Finish::divide, 1, divisor + larger},
                        std::span(&source, 1), std::span(&destination, 1), values.size() * 4);
        for (std::size_t i = 0; i < values.size(); ++i) CHECK(result[i] == values[i] / (divisor + larger));
      }
    }
  }
}

TEST_CASE("levels go from the plainest to the best") {
  REQUIRE(!all_host_kernels().empty());
  CHECK(std::string(all_host_kernels().front()->name) == "baseline");
  CHECK(all_host_kernels().back() == &host_kernels());
}

/// `count` outputs at odd places, besides the source itself, which is left alone.
void check_copies(const HostKernels& kernels, std::size_t bytes, std::size_t count, std::mt19937_64& random) {
  constexpr std::size_t room = 70;
  std::vector<std::byte> source(bytes + room);
  fill_with_patterns(DataType::u8, source.data(), source.size(), random);
  const std::vector<std::byte> before = source;
  const std::size_t from = random() % room;
  std::vector<std::vector<std::byte>> outputs(count, std::vector<std::byte>(bytes + room, std::byte{0x5a}));
  std::vector<std::size_t> places;
  std::vector<std::byte*> destinations;
  if (count != 1) destinations.push_back(source.data() + from);
  for (auto& output : outputs) {
    places.push_back(random() % room);
    destinations.push_back(output.data() + places.back());
  }
  kernels.copy(source.data() + from, destinations, bytes);
  CHECK(source == before);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::byte> expected(bytes + room, std::byte{0x5a});
    std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(from), bytes,
                expected.begin() + static_cast<std::ptrdiff_t>(places[i]));
    CHECK(outputs[i] == expected);
  }
}

TEST_CASE("copies reach every destination, wherever it lies, and nothing else") {
  std::mt19937_64 random(5);
  for (const HostKernels* kernels : all_host_kernels()) {
    for (const std::size_t bytes : {0UL, 1UL, 15UL, 64UL, 511UL, 512UL, 513UL, 8191UL, 8193UL, 100'001UL}) {
      for (std::size_t count = 0; count <= 3; ++count) {
        for (int turn = 0; turn < 5; ++turn) check_copies(*kernels, bytes, count, random);
      }
    }
  }
}
