#include "tests/device/patterns.h"

#include <bit>
#include <cstring>
#include <span>

namespace treering::device::tests {

namespace {

constexpr std::uint64_t f64_specials[] = {
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000,
    0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000000123, 0x7ff0000000000001, 0x7fefffffffffffff,
    0xffefffffffffffff, 0x0000000000000001, 0x800fffffffffffff, 0x0010000000000000};
constexpr std::uint64_t f32_specials[] = {0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
                                          0xff800000, 0x7fc00000, 0xffc00123, 0x7f800001, 0x7f7fffff,
                                          0xff7fffff, 0x00000001, 0x807fffff, 0x00800000};
constexpr std::uint64_t f16_specials[] = {0x0000, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00,
                                          0xfe01, 0x7c01, 0x7bff, 0xfbff, 0x0001, 0x83ff, 0x0400};
constexpr std::uint64_t bf16_specials[] = {0x0000, 0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fc0,
                                           0xffc1, 0x7f81, 0x7f7f, 0xff7f, 0x0001, 0x807f, 0x0080};
constexpr std::uint64_t integer_specials[] = {
    0, 1, 2, ~std::uint64_t{0}, 0x7fffffffffffffff, 0x8000000000000000, 0x7fffffff, 0x80000000, 0x7f, 0x80};

std::span<const std::uint64_t> specials_of(DataType type) {
  switch (type) {
    case DataType::f16: return f16_specials;
    case DataType::bf16: return bf16_specials;
    case DataType::f32: return f32_specials;
    case DataType::f64: return f64_specials;
    default: return integer_specials;
  }
}

/// A number between -64 and 64, with a fraction where the type has one.
std::uint64_t ordinary(DataType type, std::mt19937_64& random) {
  const auto integer = static_cast<std::int64_t>(random() % 129) - 64;
  const double real = static_cast<double>(static_cast<std::int64_t>(random() % 131073) - 65536) / 1024.0;
  switch (type) {
    case DataType::f64: return std::bit_cast<std::uint64_t>(real);
    case DataType::f32: return std::bit_cast<std::uint32_t>(static_cast<float>(real));
    case DataType::bf16: return std::bit_cast<std::uint32_t>(static_cast<float>(real)) >> 16;
    case DataType::f16: return 0x2c00 + (random() & 0xa7ff);  // magnitudes from 1/16 to 16, either sign
    case DataType::boolean: return random() & 1;
    default: return static_cast<std::uint64_t>(integer);
  }
}

}  // namespace

void fill_with_patterns(DataType type, std::byte* where, std::size_t bytes, std::mt19937_64& random) {
  const std::span<const std::uint64_t> specials = specials_of(type);
  for (std::size_t offset = 0; offset < bytes; offset += size_of(type)) {
    const std::uint64_t kind = random() % 8;
    std::uint64_t bits = random();
    if (kind < 5) bits = ordinary(type, random);
    if (kind == 5) bits = specials[random() % specials.size()];
    std::memcpy(where + offset, &bits, size_of(type));  // little-endian: the low bytes
  }
}

}  // namespace treering::device::tests
