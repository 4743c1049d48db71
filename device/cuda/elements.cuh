#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "device/cuda/entry_points.h"

#define TREERING_EVERYWHERE __host__ __device__ __forceinline__

namespace treering::device {

// The rules of treering/types.h, one element at a time, on the device and, for the tests, on the host.

template <class To, class From>
TREERING_EVERYWHERE To same_bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}

template <class T>
struct WithoutSign {
  using Type = T;
};
template <>
struct WithoutSign<std::int8_t> {
  using Type = std::uint8_t;
};
template <>
struct WithoutSign<std::int32_t> {
  using Type = std::uint32_t;
};
template <>
struct WithoutSign<std::int64_t> {
  using Type = std::uint64_t;
};

template <class T>
struct IntegerElement {
  using Storage = T;
  using Value = T;
  using Unsigned = typename WithoutSign<T>::Type;

  static TREERING_EVERYWHERE Value widen(Storage stored) { return stored; }
  static TREERING_EVERYWHERE Storage narrow(Value value) { return value; }
  static TREERING_EVERYWHERE Value sum(Value a, Value b) {
    return static_cast<Value>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
  }
  static TREERING_EVERYWHERE Value product(Value a, Value b) {
    return static_cast<Value>(static_cast<Unsigned>(a) * static_cast<Unsigned>(b));
  }
  static TREERING_EVERYWHERE Value min(Value a, Value b) { return a < b ? a : b; }
  static TREERING_EVERYWHERE Value max(Value a, Value b) { return a > b ? a : b; }
  static TREERING_EVERYWHERE Value before(Value value, bool, const CudaFactors&) { return value; }
  static TREERING_EVERYWHERE Value after(Value value, const CudaFactors& factors) {
    return factors.divisor == 1 ? value : static_cast<Value>(static_cast<std::int64_t>(value) / factors.divisor);
  }
};

struct BooleanElement {
  using Storage = std::uint8_t;
  using Value = std::uint8_t;

  static TREERING_EVERYWHERE Value widen(Storage stored) { return stored != 0; }
  static TREERING_EVERYWHERE Storage narrow(Value value) { return value; }
  static TREERING_EVERYWHERE Value sum(Value a, Value b) { return a | b; }
  static TREERING_EVERYWHERE Value product(Value a, Value b) { return a & b; }
  static TREERING_EVERYWHERE Value min(Value a, Value b) { return a & b; }
  static TREERING_EVERYWHERE Value max(Value a, Value b) { return a | b; }
  static TREERING_EVERYWHERE Value before(Value value, bool, const CudaFactors&) { return value; }
  static TREERING_EVERYWHERE Value after(Value value, const CudaFactors&) { return value; }
};

template <class T>
struct RealArithmetic {
  using Value = T;

  static TREERING_EVERYWHERE Value nan() {
    if constexpr (sizeof(T) == 4) {
      return same_bits<T>(std::uint32_t{0x7fc00000});
    } else {
      return same_bits<T>(std::uint64_t{0x7ff8000000000000});
    }
  }
  static TREERING_EVERYWHERE bool is_nan(Value value) { return value != value; }
  static TREERING_EVERYWHERE bool is_negative(Value value) {
    if constexpr (sizeof(T) == 4) {
      return (same_bits<std::uint32_t>(value) >> 31) != 0;
    } else {
      return (same_bits<std::uint64_t>(value) >> 63) != 0;
    }
  }

  static TREERING_EVERYWHERE Value sum(Value a, Value b) { return a + b; }
  static TREERING_EVERYWHERE Value product(Value a, Value b) { return a * b; }
  static TREERING_EVERYWHERE Value min(Value a, Value b) {
    if (is_nan(a) || is_nan(b)) return nan();
    if (a == b) return is_negative(a) ? a : b;
    return a < b ? a : b;
  }
  static TREERING_EVERYWHERE Value max(Value a, Value b) {
    if (is_nan(a) || is_nan(b)) return nan();
    if (a == b) return is_negative(a) ? b : a;
    return a > b ? a : b;
  }
  /// Factors of one change nothing: NaN becomes canonical in any case.
  static TREERING_EVERYWHERE Value before(Value value, bool prescaled, const CudaFactors& factors) {
    return prescaled ? value * static_cast<Value>(factors.prescale) : value;
  }
  static TREERING_EVERYWHERE Value after(Value value, const CudaFactors& factors) {
    const Value scaled = value * static_cast<Value>(factors.scale);
    return is_nan(scaled) ? nan() : scaled;
  }
};

template <class T>
struct RealElement : RealArithmetic<T> {
  using Storage = T;
  static TREERING_EVERYWHERE T widen(Storage stored) { return stored; }
  static TREERING_EVERYWHERE Storage narrow(T value) { return value; }
};

struct Float16Element : RealArithmetic<float> {
  using Storage = std::uint16_t;
  static TREERING_EVERYWHERE float widen(Storage stored) {
    __half_raw raw;
    raw.x = stored;
    return __half2float(raw);
  }
  static TREERING_EVERYWHERE Storage narrow(float value) {
    return is_nan(value) ? Storage{0x7e00} : static_cast<__half_raw>(__float2half_rn(value)).x;
  }
};

struct BFloat16Element : RealArithmetic<float> {
  using Storage = std::uint16_t;
  static TREERING_EVERYWHERE float widen(Storage stored) {
    return same_bits<float>(static_cast<std::uint32_t>(stored) << 16);
  }
  /// To nearest even; a carry out of the fraction goes into the exponent, up to infinity.
  static TREERING_EVERYWHERE Storage narrow(float value) {
    const auto bits = same_bits<std::uint32_t>(value);
    return is_nan(value) ? Storage{0x7fc0} : static_cast<Storage>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
  }
};

}  // namespace treering::device
