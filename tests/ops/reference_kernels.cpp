#include "reference_kernels.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace treering::ops::test {

float to_float(BFloat16 half) { return std::bit_cast<float>(static_cast<std::uint32_t>(half.bits) << 16); }

BFloat16 to_bfloat16(float value) {
  if (std::isnan(value)) return {0x7fc0};
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return {static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16)};
}

float to_float(Float16 half) {
  const int exponent = (half.bits >> 10) & 31;
  const int mantissa = half.bits & 1023;
  const float sign = (half.bits & 0x8000) != 0 ? -1.0F : 1.0F;
  if (exponent == 31) return mantissa != 0 ? std::numeric_limits<float>::quiet_NaN() : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -24);
  return sign * std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
}

Float16 to_float16(float value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  if (std::isnan(value)) return {0x7e00};
  const float size = std::fabs(value);
  if (size >= 65520.0F) return {static_cast<std::uint16_t>(sign | 0x7c00)};
  int exponent = 0;
  std::frexp(size, &exponent);
  const int scale = std::max(exponent, -13) - 11;  // one unit in the last place is 2^scale
  const auto units = static_cast<int>(std::nearbyint(std::ldexp(size, -scale)));
  const int bits = units < 1024 ? units : (scale + 24) * 1024 + units;  // a carry to 2048 raises the exponent by itself
  return {static_cast<std::uint16_t>(sign | bits)};
}

namespace {

template <class T>
struct Traits {
  using Accumulator = T;
  static T load(T value) { return value; }
  static T store(T value) { return value; }
};
template <>
struct Traits<Float16> {
  using Accumulator = float;
  static float load(Float16 value) { return to_float(value); }
  static Float16 store(float value) { return to_float16(value); }
};
template <>
struct Traits<BFloat16> {
  using Accumulator = float;
  static float load(BFloat16 value) { return to_float(value); }
  static BFloat16 store(float value) { return to_bfloat16(value); }
};

template <class A>
A join_floats(ReduceOp op, A a, A b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<A>::quiet_NaN();
  switch (op) {
    case ReduceOp::min: return a == b ? (std::signbit(a) ? a : b) : std::min(a, b);
    case ReduceOp::max: return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
    case ReduceOp::product: return a * b;
    default: return a + b;
  }
}

template <class A>
A join(ReduceOp op, A a, A b) {
  if constexpr (std::is_floating_point_v<A>) {
    return join_floats(op, a, b);
  } else {
    using U = std::uint64_t;
    switch (op) {
      case ReduceOp::min: return std::min(a, b);
      case ReduceOp::max: return std::max(a, b);
      case ReduceOp::product: return static_cast<A>(static_cast<U>(a) * static_cast<U>(b));
      default: return static_cast<A>(static_cast<U>(a) + static_cast<U>(b));
    }
  }
}

template <class A>
A finish(const device::Reduction& what, A value) {
  if constexpr (std::is_floating_point_v<A>) {
    if (what.finish == device::Finish::scale) value *= static_cast<A>(what.scale);
    return std::isnan(value) ? std::numeric_limits<A>::quiet_NaN() : value;
  } else {
    return what.finish == device::Finish::divide ? static_cast<A>(static_cast<std::int64_t>(value) / what.divisor)
                                                 : value;
  }
}

template <class T>
void reduce_as(const device::Reduction& what, std::span<const std::byte* const> sources,
               std::span<std::byte* const> destinations, std::size_t bytes) {
  using A = typename Traits<T>::Accumulator;
  for (std::size_t at = 0; at < bytes; at += sizeof(T)) {
    A sum{};
    for (std::size_t i = 0; i < sources.size(); ++i) {
      T raw;
      std::memcpy(&raw, sources[i] + at, sizeof raw);
      A value = Traits<T>::load(raw);
      if constexpr (std::is_floating_point_v<A>)
        if (i < what.prescaled_sources) value *= static_cast<A>(what.prescale);
      sum = i == 0 ? value : join(what.op, sum, value);
    }
    const T result = Traits<T>::store(finish(what, sum));
    for (std::byte* destination : destinations) std::memcpy(destination + at, &result, sizeof result);
  }
}

void reduce_bools(const device::Reduction& what, std::span<const std::byte* const> sources,
                  std::span<std::byte* const> destinations, std::size_t bytes) {
  const bool all = what.op == ReduceOp::min || what.op == ReduceOp::product;
  for (std::size_t at = 0; at < bytes; ++at) {
    bool result = all;
    for (const std::byte* source : sources) {
      const bool value = source[at] != std::byte{0};
      result = all ? result && value : result || value;
    }
    for (std::byte* destination : destinations) destination[at] = std::byte{static_cast<unsigned char>(result)};
  }
}

void reduce(const device::Reduction& what, std::span<const std::byte* const> sources,
            std::span<std::byte* const> destinations, std::size_t bytes) {
  switch (what.type) {
    case DataType::u8: return reduce_as<std::uint8_t>(what, sources, destinations, bytes);
    case DataType::i8: return reduce_as<std::int8_t>(what, sources, destinations, bytes);
    case DataType::i32: return reduce_as<std::int32_t>(what, sources, destinations, bytes);
    case DataType::i64: return reduce_as<std::int64_t>(what, sources, destinations, bytes);
    case DataType::f16: return reduce_as<Float16>(what, sources, destinations, bytes);
    case DataType::bf16: return reduce_as<BFloat16>(what, sources, destinations, bytes);
    case DataType::f32: return reduce_as<float>(what, sources, destinations, bytes);
    case DataType::f64: return reduce_as<double>(what, sources, destinations, bytes);
    case DataType::boolean: return reduce_bools(what, sources, destinations, bytes);
  }
}

void copy(const std::byte* source, std::span<std::byte* const> destinations, std::size_t bytes) {
  for (std::byte* destination : destinations) std::memcpy(destination, source, bytes);
}

}  // namespace

const device::HostKernels& reference_kernels() {
  static const device::HostKernels kernels{"reference", reduce, copy};
  return kernels;
}

}  // namespace treering::ops::test
