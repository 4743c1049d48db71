#include <immintrin.h>

#include "device/host/reduce_loop.h"

namespace treering::device {

namespace {

struct Avx512 {
  static constexpr int bytes = 64;

  /// With masks that choose every lane, and compiler built-ins: g++ 12 warns of uninitialised lanes in its own headers
  /// for the plain forms.
  struct Float16Codec {
    using Floats = Vector<float, 64>;
    using Storage = Vector<std::uint32_t, 64>;
    static constexpr __mmask16 every = 0xffff;

    TREERING_INLINE static FloatPair<Avx512> widen(Storage halves) {
      const __m512i all = (__m512i)halves;
      const __m256i low = (__m256i)__builtin_shufflevector(all, all, 0, 1, 2, 3);
      const __m256i high = (__m256i)__builtin_shufflevector(all, all, 4, 5, 6, 7);
      return {(Floats)_mm512_maskz_cvtph_ps(every, low), (Floats)_mm512_maskz_cvtph_ps(every, high)};
    }
    TREERING_INLINE static Storage narrow(const FloatPair<Avx512>& pair) {
      const __m256i low = _mm512_maskz_cvtps_ph(every, (__m512)pair.first, _MM_FROUND_TO_NEAREST_INT);
      const __m256i high = _mm512_maskz_cvtps_ph(every, (__m512)pair.second, _MM_FROUND_TO_NEAREST_INT);
      return (Storage)__builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
    }
  };
};

}  // namespace

constinit const LevelKernels avx512_kernels = kernels_of<Avx512>();

}  // namespace treering::device
