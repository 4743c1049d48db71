#pragma once

#include "device/host/lanes.h"
#include "device/kernels.h"

namespace treering::device {

/// Integers: sums and products wrap, so they are computed without sign.
template <class Level, class T>
struct Integer {
  using Lanes = Vector<T, Level::bytes>;
  using Unsigned = Vector<typename UnsignedOf<T>::Type, Level::bytes>;
  static constexpr bool floating = false;
  static constexpr bool scalable = true;
  static constexpr std::size_t bytes = Level::bytes;  ///< in memory, of one Lanes
  static constexpr std::size_t unroll = 4;            ///< Lanes in a block

  TREERING_INLINE static Lanes load(const std::byte* from) { return load_lanes<Level, Lanes>(from); }
  TREERING_INLINE static void store(std::byte* to, Lanes lanes) { store_lanes<Level, Lanes>(to, lanes); }

  TREERING_INLINE static Lanes sum(Lanes a, Lanes b) { return (Lanes)((Unsigned)a + (Unsigned)b); }
  TREERING_INLINE static Lanes product(Lanes a, Lanes b) { return (Lanes)((Unsigned)a * (Unsigned)b); }
  TREERING_INLINE static Lanes min(Lanes a, Lanes b) { return a < b ? a : b; }
  TREERING_INLINE static Lanes max(Lanes a, Lanes b) { return a > b ? a : b; }

  TREERING_INLINE static Lanes settle(Lanes lanes) { return lanes; }

  /// Integers are not scaled, only divided.
  struct Scaling {
    std::int64_t divisor;

    TREERING_INLINE explicit Scaling(const Reduction& what)
        : divisor(what.finish == Finish::divide ? what.divisor : 1) {}
    TREERING_INLINE Lanes before(std::size_t, Lanes lanes) const { return lanes; }
    TREERING_INLINE Lanes after(Lanes lanes) const { return quotient(lanes, divisor); }
  };

  /// Truncated toward zero. Up to 32 bits by a division of floating-point numbers that hold every value of T exactly:
  /// a rounded quotient reaches the next integer only where it should, because |value| * divisor is far below the
  /// mantissa's range or the quotient is below one anyway.
  TREERING_INLINE static Lanes quotient(Lanes lanes, std::int64_t divisor) {
    if constexpr (sizeof(T) == 8) {
      for (std::size_t i = 0; i < bytes / sizeof(T); ++i) lanes[i] /= divisor;
      return lanes;
    } else if constexpr (sizeof(T) == 4) {
      return rounded_quotient<double>(lanes, static_cast<double>(divisor));
    } else {
      return rounded_quotient<float>(lanes, static_cast<float>(divisor));
    }
  }

  template <class Real>
  TREERING_INLINE static Lanes rounded_quotient(Lanes lanes, Real divisor) {
    constexpr int wide_bytes = Level::bytes / static_cast<int>(sizeof(T)) * static_cast<int>(sizeof(Real));
    using Reals = Vector<Real, wide_bytes>;
    const Reals quotients = __builtin_convertvector(lanes, Reals) / divisor;
    if constexpr (sizeof(T) == 4) {
      return __builtin_convertvector(quotients, Lanes);
    } else {
      using Wide = Vector<std::int32_t, wide_bytes>;
      return __builtin_convertvector(__builtin_convertvector(quotients, Wide), Lanes);
    }
  }
};

/// Truth values: any non-zero byte is true. The least of some bytes is non-zero if all are, the greatest if any is.
template <class Level>
struct Boolean : Integer<Level, std::uint8_t> {
  using Base = Integer<Level, std::uint8_t>;
  using typename Base::Lanes;
  static constexpr bool scalable = false;

  TREERING_INLINE static Lanes sum(Lanes a, Lanes b) { return a | b; }
  TREERING_INLINE static Lanes product(Lanes a, Lanes b) { return Base::min(a, b); }

  TREERING_INLINE static Lanes settle(Lanes lanes) { return (Lanes)(lanes != 0) & 1; }
};

}  // namespace treering::device
