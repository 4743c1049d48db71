#pragma once

#include "device/host/floats.h"

namespace treering::device {

/// Two vectors of float32 made of one vector of halves. In which order the lanes lie is the codec's business: only the
/// way back must match.
template <class Level>
struct FloatPair {
  using Floats = Vector<float, Level::bytes>;
  Floats first;
  Floats second;
};

/// Halves are accumulated as float32 and rounded once, when they are stored. `Codec` turns a vector of words, each of
/// two halves, into a pair and back; on the way back its operands hold no NaN but the canonical one.
template <class Level, class Codec>
struct Half {
  using Floats = Floating<Level, float>;
  using Lanes = FloatPair<Level>;
  using Storage = Vector<std::uint32_t, Level::bytes>;
  static constexpr bool floating = true;
  static constexpr bool scalable = true;
  static constexpr std::size_t bytes = Level::bytes;
  static constexpr std::size_t unroll = 2;

  TREERING_INLINE static Lanes load(const std::byte* from) { return Codec::widen(load_lanes<Level, Storage>(from)); }
  TREERING_INLINE static void store(std::byte* to, const Lanes& lanes) {
    store_lanes<Level, Storage>(to, Codec::narrow(lanes));
  }

  TREERING_INLINE static Lanes sum(const Lanes& a, const Lanes& b) {
    return {Floats::sum(a.first, b.first), Floats::sum(a.second, b.second)};
  }
  TREERING_INLINE static Lanes product(const Lanes& a, const Lanes& b) {
    return {Floats::product(a.first, b.first), Floats::product(a.second, b.second)};
  }
  TREERING_INLINE static Lanes min(const Lanes& a, const Lanes& b) {
    return {Floats::min(a.first, b.first), Floats::min(a.second, b.second)};
  }
  TREERING_INLINE static Lanes max(const Lanes& a, const Lanes& b) {
    return {Floats::max(a.first, b.first), Floats::max(a.second, b.second)};
  }

  TREERING_INLINE static Lanes settle(const Lanes& lanes) {
    return {Floats::settle(lanes.first), Floats::settle(lanes.second)};
  }

  struct Scaling : Floats::Scaling {
    using Base = typename Floats::Scaling;
    TREERING_INLINE explicit Scaling(const Reduction& what) : Base(what) {}
    TREERING_INLINE Lanes before(std::size_t source, const Lanes& lanes) const {
      return {Base::before(source, lanes.first), Base::before(source, lanes.second)};
    }
    TREERING_INLINE Lanes after(const Lanes& lanes) const {
      return {Base::after(lanes.first), Base::after(lanes.second)};
    }
  };
};

/// Conversion of binary16 by integer arithmetic, for levels without an instruction for it.
template <class Level>
struct SoftFloat16Codec {
  using Floats = Vector<float, Level::bytes>;
  using Words = Vector<std::int32_t, Level::bytes>;
  using Storage = Vector<std::uint32_t, Level::bytes>;
  static constexpr std::int32_t rebias = (127 - 15) << 23;

  TREERING_INLINE static FloatPair<Level> widen(Storage halves) {
    return {widen_words((Words)(halves & 0xffff)), widen_words((Words)(halves >> 16))};
  }
  TREERING_INLINE static Storage narrow(const FloatPair<Level>& pair) {
    return (Storage)narrow_words(pair.first) | (Storage)narrow_words(pair.second) << 16;
  }

 private:
  /// One half in each word. Exact.
  TREERING_INLINE static Floats widen_words(Words half) {
    const Words sign = (half & 0x8000) << 16;
    const Words magnitude = half & 0x7fff;
    const Words normal = (magnitude << 13) + rebias;
    const Words special = normal + rebias;  // infinity and NaN keep the full exponent
    const Words subnormal = (Words)(__builtin_convertvector(magnitude, Floats) * 0x1p-24F);
    const Words bits = magnitude < 0x0400 ? subnormal : (magnitude >= 0x7c00 ? special : normal);
    return (Floats)(bits | sign);
  }

  /// To nearest even, overflow to infinity.
  TREERING_INLINE static Words narrow_words(Floats value) {
    const Words bits = (Words)value;
    const Words sign = (bits >> 16) & 0x8000;
    const Words magnitude = bits & 0x7fffffff;
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

template <class Level>
struct BFloat16Codec {
  using Floats = Vector<float, Level::bytes>;
  using Storage = Vector<std::uint32_t, Level::bytes>;
  static constexpr std::uint32_t upper = 0xffff0000;

  TREERING_INLINE static FloatPair<Level> widen(Storage halves) {
    return {(Floats)(halves << 16), (Floats)(halves & upper)};
  }
  TREERING_INLINE static Storage narrow(const FloatPair<Level>& pair) {
    return rounded(pair.first) >> 16 | (rounded(pair.second) & upper);
  }

 private:
  /// To nearest even; a carry out of the fraction goes into the exponent, up to infinity.
  TREERING_INLINE static Storage rounded(Floats value) {
    const Storage bits = (Storage)value;
    return bits + 0x7fff + ((bits >> 16) & 1);
  }
};

}  // namespace treering::device
