#pragma once

#include <cstdint>
#include <stdexcept>

namespace treering::topology {

/// Room for products of 64-bit capacities. Every operation below either is exact or throws Overflow.
using Wide = __int128;

struct Overflow : std::overflow_error {
  Overflow() : std::overflow_error("exact arithmetic left 128 bits") {}
};

inline constexpr Wide widest = ~(Wide{1} << 127);

inline Wide add(Wide a, Wide b) {
  if (b > 0 ? a > widest - b : a < -widest - b) throw Overflow();
  return a + b;
}

inline Wide subtract(Wide a, Wide b) { return add(a, -b); }

/// Not the compiler's built-in: clang calls a run-time function for it that libgcc lacks.
inline Wide multiply(Wide a, Wide b) {
  constexpr Wide half = Wide{1} << 62;
  if (a > -half && a < half && b > -half && b < half) return a * b;
  if (a == 0 || b == 0) return 0;
  const Wide size_a = a < 0 ? -a : a, size_b = b < 0 ? -b : b;
  if (size_a > widest / size_b) throw Overflow();
  return a * b;
}

inline Wide greatest_common_divisor(Wide a, Wide b) {
  if (a < 0) a = -a;
  if (b < 0) b = -b;
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

}  // namespace treering::topology
