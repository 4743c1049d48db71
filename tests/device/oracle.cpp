#include "tests/device/oracle.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace treering::device::tests {

namespace {

struct Format {
  int fraction_bits;
  int least_exponent;  ///< of normal numbers
  double beyond;       ///< first power of two that is too large
  std::uint16_t infinity;
  std::uint16_t nan;
};
constexpr Format half_format = {10, -14, 0x1p16, 0x7c00, 0x7e00};
constexpr Format bfloat_format = {7, -126, 0x1p128, 0x7f80, 0x7fc0};

double decode(std::uint16_t bits, const Format& format) {
  const int fraction = bits & ((1 << format.fraction_bits) - 1);
  const int exponent = (bits & 0x7fff) >> format.fraction_bits;
  double value = 0;
  if ((bits & format.infinity) == format.infinity) {
    value = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    value = std::ldexp(fraction, format.least_exponent - format.fraction_bits);
  } else {
    value =
        std::ldexp((1 << format.fraction_bits) + fraction, exponent - 1 + format.least_exponent - format.fraction_bits);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

std::uint16_t encode(double value, const Format& format) {
  if (std::isnan(value)) return format.nan;
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  if (std::isinf(magnitude)) return static_cast<std::uint16_t>(sign | format.infinity);
  const int exponent = std::max(std::ilogb(magnitude), format.least_exponent);
  const double quantum = std::ldexp(1.0, exponent - format.fraction_bits);
  const double rounded = std::nearbyint(magnitude / quantum) * quantum;  // the default mode: to nearest even
  if (rounded >= format.beyond) return static_cast<std::uint16_t>(sign | format.infinity);
  if (rounded < std::ldexp(1.0, format.least_exponent))
    return static_cast<std::uint16_t>(sign | static_cast<int>(rounded / quantum));
  const int final_exponent = std::ilogb(rounded);
  const int fraction =
      static_cast<int>(std::ldexp(rounded, format.fraction_bits - final_exponent)) - (1 << format.fraction_bits);
  return static_cast<std::uint16_t>(sign | ((final_exponent - format.least_exponent + 1) << format.fraction_bits) |
                                    fraction);
}

template <class T>
T read(const std::byte* from, std::size_t index) {
  T value;
  std::memcpy(&value, from + index * sizeof(T), sizeof(T));
  return value;
}

bool is_sum(ReduceOp op) { return op == ReduceOp::sum || op == ReduceOp::average; }

/// One step in the accumulation type: float for halves and float, else double.
template <class T>
double combine(ReduceOp op, double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  if (is_sum(op)) return static_cast<T>(a + b);
  if (op == ReduceOp::product) return static_cast<T>(a * b);
  if (a == b) return std::signbit(a) == (op == ReduceOp::min) ? a : b;
  return (a < b) == (op == ReduceOp::min) ? a : b;
}

template <class T, class Load>
double reduce_real(const Reduction& what, std::size_t sources, Load load) {
  double total = 0;
  for (std::size_t s = 0; s < sources; ++s) {
    double operand = load(s);
    if (s < what.prescaled_sources) operand = static_cast<T>(operand * static_cast<T>(what.prescale));
    total = s == 0 ? operand : combine<T>(what.op, total, operand);
  }
  if (what.finish == Finish::scale) total = static_cast<T>(total * static_cast<T>(what.scale));
  return total;
}

template <class T>
T reduce_integer(const Reduction& what, const std::vector<const std::byte*>& sources, std::size_t index) {
  using U = std::uint64_t;  // wide enough to wrap once, at the end
  T total = read<T>(sources[0], index);
  for (std::size_t s = 1; s < sources.size(); ++s) {
    const T operand = read<T>(sources[s], index);
    if (is_sum(what.op)) total = static_cast<T>(static_cast<U>(total) + static_cast<U>(operand));
    if (what.op == ReduceOp::product) total = static_cast<T>(static_cast<U>(total) * static_cast<U>(operand));
    if (what.op == ReduceOp::min) total = operand < total ? operand : total;
    if (what.op == ReduceOp::max) total = operand > total ? operand : total;
  }
  return what.finish == Finish::divide ? static_cast<T>(static_cast<std::int64_t>(total) / what.divisor) : total;
}

std::uint8_t reduce_bool(const Reduction& what, const std::vector<const std::byte*>& sources, std::size_t index) {
  std::size_t true_ones = 0;
  for (const std::byte* source : sources) true_ones += source[index] != std::byte{0};
  const bool any = is_sum(what.op) || what.op == ReduceOp::max;
  return any ? true_ones > 0 : true_ones == sources.size();
}

template <class T>
T canonical(T value) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits nan = static_cast<Bits>(sizeof(T) == 4 ? 0x7fc00000 : 0x7ff8000000000000);
  return std::isnan(value) ? std::bit_cast<T>(nan) : value;
}

bool is_copy(const Reduction& what, std::size_t sources) {
  const bool scaled =
      (what.prescaled_sources > 0 && what.prescale != 1) || (what.finish == Finish::scale && what.scale != 1);
  return sources == 1 && is_floating(what.type) && !scaled;
}

template <class T, class Compute>
void store_each(const std::vector<std::byte*>& destinations, std::size_t bytes, Compute compute) {
  for (std::size_t i = 0; i < bytes / sizeof(T); ++i) {
    const T value = compute(i);
    for (std::byte* destination : destinations) std::memcpy(destination + i * sizeof(T), &value, sizeof(T));
  }
}

}  // namespace

double value_of_half(std::uint16_t bits) { return decode(bits, half_format); }
double value_of_bfloat(std::uint16_t bits) { return decode(bits, bfloat_format); }
std::uint16_t half_nearest(double value) { return encode(value, half_format); }
std::uint16_t bfloat_nearest(double value) { return encode(value, bfloat_format); }

void reduce_by_the_rules(const Reduction& what, const std::vector<const std::byte*>& sources,
                         const std::vector<std::byte*>& destinations, std::size_t bytes) {
  const std::size_t count = sources.size();
  const auto integers = [&]<class T>(T) {
    store_each<T>(destinations, bytes, [&](std::size_t i) { return reduce_integer<T>(what, sources, i); });
  };
  const auto reals = [&]<class T>(T) {
    store_each<T>(destinations, bytes, [&](std::size_t i) {
      return canonical(
          static_cast<T>(reduce_real<T>(what, count, [&](std::size_t s) { return read<T>(sources[s], i); })));
    });
  };
  const auto halves = [&](const Format& format) {
    store_each<std::uint16_t>(destinations, bytes, [&](std::size_t i) {
      const auto load = [&](std::size_t s) { return decode(read<std::uint16_t>(sources[s], i), format); };
      return encode(reduce_real<float>(what, count, load), format);
    });
  };
  if (is_copy(what, count)) {
    store_each<std::byte>(destinations, bytes, [&](std::size_t i) { return sources[0][i]; });
    return;
  }
  switch (what.type) {
    case DataType::u8: return integers(std::uint8_t{});
    case DataType::i8: return integers(std::int8_t{});
    case DataType::i32: return integers(std::int32_t{});
    case DataType::i64: return integers(std::int64_t{});
    case DataType::f16: return halves(half_format);
    case DataType::bf16: return halves(bfloat_format);
    case DataType::f32: return reals(float{});
    case DataType::f64: return reals(double{});
    case DataType::boolean:
      store_each<std::uint8_t>(destinations, bytes, [&](std::size_t i) { return reduce_bool(what, sources, i); });
  }
}

}  // namespace treering::device::tests
