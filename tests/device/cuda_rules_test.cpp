#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "device/cuda/launch_shape.h"
#include "device/device.h"
#include "device/reduction_rules.h"
#include "tests/device/cuda_host_check.h"
#include "tests/device/oracle.h"
#include "tests/device/patterns.h"
#include "tests/device/reduce_case.h"

using namespace treering;
using namespace treering::device;
using namespace treering::device::tests;

namespace {

double value_at(DataType type, const std::byte* where) {
  std::uint16_t half = 0;
  float single = 0;
  double real = 0;
  switch (type) {
    case DataType::f16: std::memcpy(&half, where, 2); return value_of_half(half);
    case DataType::bf16: std::memcpy(&half, where, 2); return value_of_bfloat(half);
    case DataType::f32: std::memcpy(&single, where, 4); return static_cast<double>(single);
    default: std::memcpy(&real, where, 8); return real;
  }
}

/// The bits of `value` in a type; NaN is the canonical one. To halves by way of float32.
std::uint64_t bits_in(DataType type, double value) {
  const auto single = static_cast<float>(value);
  switch (type) {
    case DataType::f16: return half_nearest(static_cast<double>(single));
    case DataType::bf16: return bfloat_nearest(static_cast<double>(single));
    case DataType::f32: return std::isnan(single) ? 0x7fc00000 : std::bit_cast<std::uint32_t>(single);
    default: return std::isnan(value) ? 0x7ff8000000000000 : std::bit_cast<std::uint64_t>(value);
  }
}

/// A float32 product, which a float64 one holds exactly, rounded once; or a float64 one.
double scaled(DataType from, DataType to, double value, double factor) {
  if (from == DataType::f64 || to == DataType::f64) return value * factor;
  return static_cast<double>(static_cast<float>(value * static_cast<double>(static_cast<float>(factor))));
}

void check_cast(DataType from, DataType to, std::mt19937_64& random) {
  constexpr std::size_t elements = 4000;
  std::vector<std::byte> source(elements * size_of(from));
  fill_with_patterns(from, source.data(), source.size(), random);
  for (const double factor : {1.0, 0.1, -3.0, 1e-30}) {
    std::vector<std::byte> destination((elements + 1) * size_of(to), std::byte{0x5a});
    cast_like_cuda(from, source.data(), to, destination.data(), elements, factor);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < elements; ++i) {
      std::uint64_t found = 0;
      std::memcpy(&found, destination.data() + i * size_of(to), size_of(to));
      wrong += found != bits_in(to, scaled(from, to, value_at(from, source.data() + i * size_of(from)), factor));
    }
    CAPTURE(name_of(from));
    CAPTURE(name_of(to));
    CAPTURE(factor);
    CHECK(wrong == 0);
    CHECK(std::all_of(destination.end() - static_cast<std::ptrdiff_t>(size_of(to)), destination.end(),
                      [](std::byte byte) { return byte == std::byte{0x5a}; }));
  }
}

/// A plain copy never reaches the kernels.
void check_type(DataType type) {
  for_each_case(type, [](const ReduceCase& one) {
    if (is_plain_copy(without_idle_factors(one.what()), one.sources())) return;
    const bool equal = one.run(reduce_like_cuda) == one.run(reduce_by_the_rules);
    CHECK_MESSAGE(equal, one.describe());
  });
}

}  // namespace

TEST_CASE("the CUDA kernels' arithmetic keeps the rules") {
  for (int type = 0; type < data_type_count; ++type) check_type(static_cast<DataType>(type));
}

TEST_CASE("the CUDA kernels' casts keep the rules") {
  std::mt19937_64 random(23);
  for (const DataType from : {DataType::f16, DataType::bf16, DataType::f32, DataType::f64})
    for (const DataType to : {DataType::f16, DataType::bf16, DataType::f32, DataType::f64})
      check_cast(from, to, random);
}

TEST_CASE("the CUDA kernels take as many operands as a device promises, at odd lengths and addresses") {
  std::mt19937_64 random(29);
  for (const std::size_t sources : {max_operands - 1, max_operands})
    for (const std::size_t elements : {1U, 5U, 16U, 37U}) {
      const ReduceCase many({DataType::bf16, ReduceOp::sum, 0.5, 40, Finish::scale, 0.25, 1}, sources,
                            Aliases(max_operands, -1), elements, random);
      const bool equal = many.run(reduce_like_cuda) == many.run(reduce_by_the_rules);
      CHECK_MESSAGE(equal, many.describe());
    }
}

TEST_CASE("shapes of launches reach everything, with no block too many") {
  for (const std::uint64_t total : {1ULL, 1023ULL, 1024ULL, 16'384ULL, 16'385ULL, 1'000'003ULL, 1ULL << 25,
                                    (1ULL << 25) + 1, 1ULL << 33, (1ULL << 40) + 7}) {
    const CopyShape shape = copy_shape(total);
    CAPTURE(total);
    CHECK(shape.share * shape.blocks >= total);
    CHECK(shape.share * (shape.blocks - 1) < total);
    CHECK(shape.share % cuda_pack == 0);
    CHECK(shape.blocks <= 2048);
    if (total <= std::uint64_t{2048} << 14) CHECK(shape.blocks >= total >> 15);  // small copies use many blocks too
  }
  CHECK(blocks_for(0) == 1);
  CHECK(blocks_for(cuda_threads) == 1);
  CHECK(blocks_for(cuda_threads + 1) == 2);
  CHECK(blocks_for(1ULL << 50) == 2048);
}

TEST_CASE("a copy of segments by equal shares reaches every byte once and nothing else") {
  std::mt19937_64 random(17);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::byte> input(8192);
    std::vector<std::byte> output(8192, std::byte{0x33});
    fill_with_patterns(DataType::u8, input.data(), input.size(), random);
    std::vector<std::byte> expected = output;
    std::vector<CopySegment> table;
    for (std::size_t from = random() % 16, to = random() % 16; from < 7000 && to < 7000;) {
      const std::size_t bytes = random() % 3 == 0 ? random() % 4 : random() % 500;
      table.push_back({input.data() + from, output.data() + to, bytes, 0});
      std::memcpy(expected.data() + to, input.data() + from, bytes);
      from += bytes + random() % 40;
      to += bytes + (random() % 2 == 0 ? 16 : random() % 40);
    }
    const std::uint64_t total = number_segments(table);
    const auto blocks = 1 + static_cast<unsigned>(random() % 40);
    copy_like_cuda(table, total, blocks, (total + blocks - 1) / blocks, 1 + static_cast<unsigned>(random() % 64));
    CHECK(output == expected);
    if (total == 0) continue;
    std::fill(output.begin(), output.end(), std::byte{0x33});
    const CopyShape shape = copy_shape(total);
    copy_like_cuda(table, total, shape.blocks, shape.share, cuda_threads);
    CHECK(output == expected);
  }
}
