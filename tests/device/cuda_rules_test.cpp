#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "device/reduction_rules.h"
#include "tests/device/cuda_host_check.h"
#include "tests/device/oracle.h"
#include "tests/device/patterns.h"
#include "tests/device/reduce_case.h"

using namespace treering;
using namespace treering::device;
using namespace treering::device::tests;

namespace {

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
    copy_like_cuda(table, total, 1 + static_cast<unsigned>(random() % 40), 1 + static_cast<unsigned>(random() % 64));
    CHECK(output == expected);
  }
}
