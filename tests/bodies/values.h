#pragma once

// Test data that differ per rank, element and step, and what a collective must make of them. Floating values are chosen
// so that every reduction except a division is exact in every type, whatever the order.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "treering/types.h"

namespace treering::test {

inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

inline std::uint64_t mix(std::uint64_t seed, std::uint64_t rank, std::uint64_t element) {
  return mix(seed ^ mix(rank ^ mix(element)));
}

/// Halves to float and back; the way back only for values that fit exactly.
inline float to_float(Float16 half) {
  const int exponent = (half.bits >> 10) & 31;
  const float magnitude = exponent == 0 ? std::ldexp(static_cast<float>(half.bits & 1023), -24)
                                        : std::ldexp(static_cast<float>((half.bits & 1023) + 1024), exponent - 25);
  return (half.bits & 0x8000) != 0 ? -magnitude : magnitude;
}
inline float to_float(BFloat16 half) { return std::bit_cast<float>(std::uint32_t{half.bits} << 16); }

template <class T>
T from_float(float value) {
  if constexpr (std::is_same_v<T, BFloat16>) {
    return {static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16)};
  } else if constexpr (std::is_same_v<T, Float16>) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (bits >> 16) & 0x8000;
    if (value == 0) return {static_cast<std::uint16_t>(sign)};
    const std::uint32_t exponent = ((bits >> 23) & 255) + 15 - 127;
    return {static_cast<std::uint16_t>(sign | (exponent << 10) | ((bits >> 13) & 1023))};
  } else {
    return static_cast<T>(value);
  }
}

template <class T>
inline constexpr bool is_half = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

template <class T>
double to_double(T value) {
  if constexpr (is_half<T>) {
    return to_float(value);
  } else {
    return static_cast<double>(value);
  }
}

template <class T>
T value_of(ReduceOp op, std::uint64_t seed, int rank, std::size_t element) {
  const std::uint64_t random = mix(seed, static_cast<std::uint64_t>(rank), element);
  if constexpr (std::is_same_v<T, bool>) {
    return (random & 1) != 0;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(random);
  } else {
    constexpr float factors[] = {1, -1, 2, 0.5F, -2, 1, -0.5F, 1};
    if (op == ReduceOp::product) return from_float<T>(factors[random % 8]);
    return from_float<T>(static_cast<float>(static_cast<int>(random % 17) - 8));
  }
}

template <class T>
T expected_integer(ReduceOp op, const std::vector<T>& operands) {
  using U = std::make_unsigned_t<T>;
  U sum = 0;
  U product = 1;
  for (const T operand : operands) {
    sum = static_cast<U>(sum + static_cast<U>(operand));
    product = static_cast<U>(static_cast<std::uint64_t>(product) * static_cast<U>(operand));
  }
  switch (op) {
    case ReduceOp::sum: return static_cast<T>(sum);
    case ReduceOp::average: return static_cast<T>(static_cast<T>(sum) / static_cast<std::int64_t>(operands.size()));
    case ReduceOp::product: return static_cast<T>(product);
    case ReduceOp::min: return *std::ranges::min_element(operands);
    case ReduceOp::max: return *std::ranges::max_element(operands);
  }
  return 0;
}

template <class T>
T expected_float(ReduceOp op, const std::vector<T>& operands) {
  double result = to_double(operands.front());
  for (std::size_t i = 1; i < operands.size(); ++i) {
    const double operand = to_double(operands[i]);
    switch (op) {
      case ReduceOp::sum:
      case ReduceOp::average: result += operand; break;
      case ReduceOp::product: result *= operand; break;
      case ReduceOp::min: result = std::min(result, operand); break;
      case ReduceOp::max: result = std::max(result, operand); break;
    }
  }
  if (op == ReduceOp::average) result /= static_cast<double>(operands.size());
  return from_float<T>(static_cast<float>(result));
}

/// What every rank must hold where rank r contributed operands[r].
template <class T>
T expected(ReduceOp op, const std::vector<T>& operands) {
  if constexpr (std::is_same_v<T, bool>) {
    const bool any = std::ranges::find(operands, true) != operands.end();
    const bool all = std::ranges::find(operands, false) == operands.end();
    return op == ReduceOp::sum || op == ReduceOp::max ? any : all;
  } else if constexpr (std::is_integral_v<T>) {
    return expected_integer(op, operands);
  } else {
    return expected_float(op, operands);
  }
}

/// Bitwise, except for float averages over a number of members that is no power of two: there within a few roundings.
template <class T>
bool matches(ReduceOp op, T got, T want, int members) {
  if (std::memcmp(&got, &want, sizeof(T)) == 0) return true;
  if constexpr (std::is_integral_v<T>) {
    return false;
  } else {
    const double a = to_double(got);
    const double b = to_double(want);
    if (a == b) return true;  // zeros of either sign
    if (op != ReduceOp::average || std::has_single_bit(static_cast<unsigned>(members))) return false;
    const double grain = std::is_same_v<T, BFloat16> ? 1 / 64.0 : std::is_same_v<T, Float16> ? 1 / 512.0 : 1e-6;
    return std::abs(a - b) <= grain * 8;
  }
}

}  // namespace treering::test
