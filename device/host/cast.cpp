#include "device/host/cast.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace treering::device {

namespace {

template <class T>
struct Plain {
  using Storage = T;
  using Value = T;
  static Value widen(Storage stored) { return stored; }
  static Storage narrow(Value value) { return value == value ? value : std::numeric_limits<T>::quiet_NaN(); }
};

struct Half16 {
  using Storage = std::uint16_t;
  using Value = float;

  static float widen(Storage stored) {
    const int exponent = stored >> 10 & 0x1f;
    const int fraction = stored & 0x3ff;
    float magnitude =
        std::ldexp(static_cast<float>(fraction + (exponent == 0 ? 0 : 0x400)), (exponent ? exponent : 1) - 25);
    if (exponent == 0x1f) magnitude = fraction == 0 ? std::numeric_limits<float>::infinity() : std::nanf("");
    return (stored & 0x8000) != 0 ? -magnitude : magnitude;
  }
  /// To nearest even, overflow to infinity.
  static Storage narrow(float value) {
    if (value != value) return 0x7e00;
    const auto sign = static_cast<std::uint32_t>(std::signbit(value) ? 0x8000 : 0);
    const float magnitude = std::fabs(value);
    if (magnitude >= 65520.0F) return static_cast<Storage>(sign | 0x7c00);
    // In units of the last place of its binade, a number rounds to an integer; a carry moves into the exponent.
    const int exponent = magnitude < 0x1p-14F ? -14 : std::ilogb(magnitude);
    const auto units = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
    return static_cast<Storage>(sign | (static_cast<std::uint32_t>(exponent + 14) * 0x400 + units));
  }
};

struct BHalf16 {
  using Storage = std::uint16_t;
  using Value = float;
  static float widen(Storage stored) { return std::bit_cast<float>(static_cast<std::uint32_t>(stored) << 16); }
  static Storage narrow(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return value != value ? Storage{0x7fc0} : static_cast<Storage>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
};

template <class From, class To>
void cast_all(const std::byte* source, std::byte* destination, std::size_t elements, double factor) {
  using Work = std::common_type_t<typename From::Value, typename To::Value>;
  for (std::size_t i = 0; i < elements; ++i) {
    typename From::Storage stored;
    std::memcpy(&stored, source + i * sizeof stored, sizeof stored);
    const Work value = static_cast<Work>(From::widen(stored)) * static_cast<Work>(factor);
    const typename To::Storage result = To::narrow(static_cast<typename To::Value>(value));
    std::memcpy(destination + i * sizeof result, &result, sizeof result);
  }
}

template <class From>
void cast_from(const std::byte* source, DataType to, std::byte* destination, std::size_t elements, double factor) {
  switch (to) {
    case DataType::f16: return cast_all<From, Half16>(source, destination, elements, factor);
    case DataType::bf16: return cast_all<From, BHalf16>(source, destination, elements, factor);
    case DataType::f32: return cast_all<From, Plain<float>>(source, destination, elements, factor);
    default: return cast_all<From, Plain<double>>(source, destination, elements, factor);
  }
}

}  // namespace

void host_cast(DataType from, const std::byte* source, DataType to, std::byte* destination, std::size_t elements,
               double factor) {
  switch (from) {
    case DataType::f16: return cast_from<Half16>(source, to, destination, elements, factor);
    case DataType::bf16: return cast_from<BHalf16>(source, to, destination, elements, factor);
    case DataType::f32: return cast_from<Plain<float>>(source, to, destination, elements, factor);
    default: return cast_from<Plain<double>>(source, to, destination, elements, factor);
  }
}

}  // namespace treering::device
