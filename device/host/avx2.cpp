#include <immintrin.h>

#include "device/host/reduce_loop.h"

namespace treering::device {

namespace {

struct Avx2 {
  static constexpr int bytes = 32;

  struct Float16Codec {
    using Lanes = Vector<float, 32>;
    using Storage = Vector<std::uint16_t, 16>;

    TREERING_INLINE static Lanes widen(Storage bits) { return (Lanes)_mm256_cvtph_ps((__m128i)bits); }
    TREERING_INLINE static Storage narrow(Lanes lanes) {
      return (Storage)_mm256_cvtps_ph((__m256)lanes, _MM_FROUND_TO_NEAREST_INT);
    }
  };
};

}  // namespace

constinit const LevelKernels avx2_kernels = kernels_of<Avx2>();

}  // namespace treering::device
