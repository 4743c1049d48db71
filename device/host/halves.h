#pragma once

#include "device/host/floats.h"

namespace treering::device {

/// Conversion of binary16 by integer arithmetic, for levels without an instruction for it.
template <class Level>
struct SoftHalf {
  using Floats = Vector<float, Level::bytes>;
  using Words = Vector<std::int32_t, Level::bytes>;

  /// The bits of a binary16 in the lower half of each word. Exact.
  TREERING_INLINE static Floats widen(Words half) {
    const Words sign = (half & 0x8000) << 16;
    const Words magnitude = half & 0x7fff;
    constexpr std::int32_t rebias = (127 - 15) << 23;
    const Words normal = (magnitude << 13) + rebias;
    const Words special = normal + rebias;  // infinity and NaN keep the full exponent
    const Words subnormal = (Words)(__builtin_convertvector(magnitude, Floats) * 0x1p-24F);
    const Words bits = magnitude < 0x0400 ? subnormal : (magnitude >= 0x7c00 ? special : normal);
    return (Floats)(bits | sign);
  }

  /// To nearest even, overflow to infinity; NaN becomes the canonical one of either sign.
  TREERING_INLINE static Words narrow(Floats value) {
    const Words bits = (Words)value;
    const Words sign = (bits >> 16) & 0x8000;
    const Words magnitude = bits & 0x7fffffff;
    constexpr std::int32_t rebias = (127 - 15) << 23;
    const Words exact = magnitude - rebias;
    const Words normal = (exact + 0x0fff + ((exact >> 13) & 1)) >> 13;
    // One unit in the last place of numbers in [0.5, 1) is the smallest subnormal half: the addition rounds.
    constexpr std::int32_t one_half = 0x3f000000;
    const Words subnormal = (Words)((Floats)magnitude + 0.5F) - one_half;
    const Words infinity = Words{} + 0x7c00;
    const Words nan = Words{} + 0x7e00;
    const Words finite = magnitude < 0x38800000 ? subnormal : (magnitude < 0x477ff000 ? normal : infinity);
    return (magnitude > 0x7f800000 ? nan : finite) | sign;
  }
};

/// Halves are accumulated as float32 and rounded once, when they are stored; `Codec` turns one into the other.
template <class Level, class Codec>
struct Half : Floating<Level, float> {
  using typename Floating<Level, float>::Lanes;
  static constexpr std::size_t bytes = Level::bytes / 2;
  using Storage = Vector<std::uint16_t, Level::bytes / 2>;

  TREERING_INLINE static Lanes load(const std::byte* from) { return Codec::widen(load_lanes<Level, Storage>(from)); }
  TREERING_INLINE static void store(std::byte* to, Lanes lanes) {
    store_lanes<Level, Storage>(to, Codec::narrow(lanes));
  }
};

template <class Level>
struct SoftFloat16Codec {
  using Lanes = Vector<float, Level::bytes>;
  using Words = Vector<std::int32_t, Level::bytes>;
  using Storage = Vector<std::uint16_t, Level::bytes / 2>;

  TREERING_INLINE static Lanes widen(Storage bits) {
    return SoftHalf<Level>::widen(__builtin_convertvector(bits, Words));
  }
  TREERING_INLINE static Storage narrow(Lanes lanes) {
    return __builtin_convertvector(SoftHalf<Level>::narrow(lanes), Storage);
  }
};

template <class Level>
struct BFloat16Codec {
  using Lanes = Vector<float, Level::bytes>;
  using Words = Vector<std::uint32_t, Level::bytes>;
  using Storage = Vector<std::uint16_t, Level::bytes / 2>;

  TREERING_INLINE static Lanes widen(Storage bits) { return (Lanes)(__builtin_convertvector(bits, Words) << 16); }
  /// To nearest even; a carry out of the fraction goes into the exponent, up to infinity. NaN must be canonical.
  TREERING_INLINE static Storage narrow(Lanes lanes) {
    const Words bits = (Words)lanes;
    return __builtin_convertvector((bits + 0x7fff + ((bits >> 16) & 1)) >> 16, Storage);
  }
};

}  // namespace treering::device
