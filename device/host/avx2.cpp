#include <immintrin.h>

#include "device/host/reduce_loop.h"

namespace treering::device {

namespace {

struct Avx2 {
  static constexpr int bytes = 32;

  struct Float16Codec {
    using Floats = Vector<float, 32>;
    using Storage = Vector<std::uint32_t, 32>;

    TREERING_INLINE static FloatPair<Avx2> widen(Storage halves) {
      const __m256i all = (__m256i)halves;
      return {(Floats)_mm256_cvtph_ps(_mm256_castsi256_si128(all)),
              (Floats)_mm256_cvtph_ps(_mm256_extracti128_si256(all, 1))};
    }
    TREERING_INLINE static Storage narrow(const FloatPair<Avx2>& pair) {
      const __m128i low = _mm256_cvtps_ph((__m256)pair.first, _MM_FROUND_TO_NEAREST_INT);
      const __m128i high = _mm256_cvtps_ph((__m256)pair.second, _MM_FROUND_TO_NEAREST_INT);
      return (Storage)_mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
    }
  };
};

}  // namespace

constinit const LevelKernels avx2_kernels = kernels_of<Avx2>();

}  // namespace treering::device
