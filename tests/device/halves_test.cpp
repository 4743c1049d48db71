#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "device/kernels.h"
#include "tests/device/oracle.h"

using namespace treering;
using namespace treering::device;
using namespace treering::device::tests;

namespace {

using Halves = std::vector<std::uint16_t>;

Halves every_half() {
  Halves all(0x10000);
  std::iota(all.begin(), all.end(), std::uint16_t{0});
  return all;
}

Halves reduce_halves(const HostKernels& kernels, const Reduction& what, const std::vector<Halves>& inputs) {
  std::vector<const std::byte*> sources;
  for (const Halves& input : inputs) sources.push_back(reinterpret_cast<const std::byte*>(input.data()));
  Halves output(inputs[0].size());
  std::byte* const destination = reinterpret_cast<std::byte*>(output.data());
  kernels.reduce(what, sources, std::span(&destination, 1), output.size() * 2);
  return output;
}

std::uint16_t round_to(DataType type, double value) {
  return type == DataType::f16 ? half_nearest(value) : bfloat_nearest(value);
}
double widen(DataType type, std::uint16_t bits) {
  return type == DataType::f16 ? value_of_half(bits) : value_of_bfloat(bits);
}

constexpr std::uint16_t others_of_interest[] = {0x0001, 0x0400, 0x03ff, 0x1001, 0x2c00, 0x3c00,
                                                0x3c01, 0x4bff, 0x7bff, 0xfbff, 0x7f7f};

}  // namespace

TEST_CASE("the oracle knows some halves by heart") {
  CHECK(value_of_half(0x3c00) == 1.0);
  CHECK(value_of_half(0x0001) == 0x1p-24);
  CHECK(value_of_half(0x7bff) == 65504.0);
  CHECK(value_of_half(0xc000) == -2.0);
  CHECK(half_nearest(65519.0) == 0x7bff);
  CHECK(half_nearest(65520.0) == 0x7c00);
  CHECK(half_nearest(0x1p-25) == 0x0000);  // a tie, to even
  CHECK(half_nearest(0x1.8p-24) == 0x0002);
  CHECK(half_nearest(1.0 + 0x1p-11) == 0x3c00);
  CHECK(half_nearest(1.0 + 0x3p-11) == 0x3c02);
  CHECK(bfloat_nearest(1.0) == 0x3f80);
  CHECK(bfloat_nearest(1.0 + 0x1p-8) == 0x3f80);
  CHECK(bfloat_nearest(1.0 + 0x3p-8) == 0x3f82);
  CHECK(value_of_bfloat(0x0001) == 0x1p-133);
}

TEST_CASE("every half survives float32 and back") {
  const Halves all = every_half();
  for (const DataType type : {DataType::f16, DataType::bf16}) {
    for (const HostKernels* kernels : all_host_kernels()) {
      CAPTURE(kernels->name);
      const Halves result = reduce_halves(*kernels, {type, ReduceOp::max}, {all, all});
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < all.size(); ++i) {
        const bool nan = std::isnan(widen(type, all[i]));
        wrong += result[i] != (nan ? (type == DataType::f16 ? 0x7e00 : 0x7fc0) : all[i]);
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("every half times a factor is rounded once, to nearest even") {
  const Halves all = every_half();
  // Powers of two walk through the subnormals and, with an odd neighbour, over ties; the rest is anywhere.
  for (const double factor : {0.5, 0x1p-5, 0x1p-9, 0x1p-11, 0x1p-14, 0x1p-24, 1.5, 0x1.8p-10, 3.0, 0x1.004p0,
                              0x1.ffcp-13, 1024.0, 1.0 / 3.0, -0.7, 0x1p-126, 1e30}) {
    for (const DataType type : {DataType::f16, DataType::bf16}) {
      for (const HostKernels* kernels : all_host_kernels()) {
        CAPTURE(kernels->name);
        CAPTURE(factor);
        const Halves result = reduce_halves(*kernels, {type, ReduceOp::sum, 1.0, 0, Finish::scale, factor, 1}, {all});
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
          const auto product = static_cast<float>(widen(type, all[i]) * static_cast<float>(factor));
          wrong += result[i] != round_to(type, product);
        }
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("sums of halves meet every kind of tie and overflow") {
  const Halves all = every_half();
  for (const DataType type : {DataType::f16, DataType::bf16}) {
    for (const std::uint16_t other : others_of_interest) {
      const Halves others(all.size(), other);
      for (const HostKernels* kernels : all_host_kernels()) {
        CAPTURE(kernels->name);
        CAPTURE(other);
        const Halves result = reduce_halves(*kernels, {type, ReduceOp::sum}, {all, others});
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
          wrong += result[i] != round_to(type, static_cast<float>(widen(type, all[i]) + widen(type, other)));
        }
        CHECK(wrong == 0);
      }
    }
  }
}
