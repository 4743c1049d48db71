#pragma once

#include "device/host/lanes.h"
#include "device/kernels.h"

namespace treering::device {

template <class T>
struct FloatBits;
template <>
struct FloatBits<float> {
  using Signed = std::int32_t;
  static constexpr Signed canonical_nan = 0x7fc00000;
};
template <>
struct FloatBits<double> {
  using Signed = std::int64_t;
  static constexpr Signed canonical_nan = 0x7ff8000000000000;
};

template <class Level, class T>
struct Floating {
  using Lanes = Vector<T, Level::bytes>;
  using Bits = Vector<typename FloatBits<T>::Signed, Level::bytes>;
  static constexpr bool floating = true;
  static constexpr bool scalable = true;
  static constexpr std::size_t bytes = Level::bytes;  ///< in memory, of one Lanes
  static constexpr std::size_t unroll = 4;            ///< Lanes in a block

  TREERING_INLINE static Lanes load(const std::byte* from) { return load_lanes<Level, Lanes>(from); }
  TREERING_INLINE static void store(std::byte* to, Lanes lanes) { store_lanes<Level, Lanes>(to, lanes); }

  TREERING_INLINE static Lanes sum(Lanes a, Lanes b) { return a + b; }
  TREERING_INLINE static Lanes product(Lanes a, Lanes b) { return a * b; }

  /// Where the operands compare equal or unordered, `first` is b and `second` is a. The union of their bits is then
  /// -0 if either is, and NaN if either is (its exponent is full and its fraction is not empty).
  TREERING_INLINE static Lanes min(Lanes a, Lanes b) {
    const Lanes first = a < b ? a : b;
    const Lanes second = b < a ? b : a;
    return (Lanes)((Bits)first | (Bits)second);
  }
  /// The intersection makes +0 of unlike zeros, but could make a number of a NaN.
  TREERING_INLINE static Lanes max(Lanes a, Lanes b) {
    const Lanes first = a > b ? a : b;
    const Lanes second = b > a ? b : a;
    const Bits unordered = (Bits)(a != a) | (Bits)(b != b);
    return (Lanes)(((Bits)first & (Bits)second) | unordered);
  }

  TREERING_INLINE static Lanes settle(Lanes lanes) {
    const Bits nan = Bits{} + FloatBits<T>::canonical_nan;
    return lanes == lanes ? lanes : (Lanes)nan;
  }

  /// Factors of one change nothing: NaN becomes canonical in any case.
  struct Scaling {
    T prescale;
    T scale;
    std::size_t prescaled;

    TREERING_INLINE explicit Scaling(const Reduction& what)
        : prescale(static_cast<T>(what.prescale)),
          scale(what.finish == Finish::scale ? static_cast<T>(what.scale) : T{1}),
          prescaled(what.prescaled_sources) {}
    TREERING_INLINE Lanes before(std::size_t source, Lanes lanes) const {
      return lanes * (source < prescaled ? prescale : T{1});
    }
    TREERING_INLINE Lanes after(Lanes lanes) const { return lanes * scale; }
  };
};

}  // namespace treering::device
