#include <immintrin.h>

#include "device/host/reduce_loop.h"

namespace treering::device {

namespace {

struct Avx512 {
  static constexpr int bytes = 64;

  struct Float16Codec {
    using Lanes = Vector<float, 64>;
    using Storage = Vector<std::uint16_t, 32>;

    // The masked forms, with every lane chosen: g++ 12 warns of uninitialised lanes in the headers of the others.
    static constexpr __mmask16 all = 0xffff;
    TREERING_INLINE static Lanes widen(Storage bits) { return (Lanes)_mm512_maskz_cvtph_ps(all, (__m256i)bits); }
    TREERING_INLINE static Storage narrow(Lanes lanes) {
      return (Storage)_mm512_maskz_cvtps_ph(all, (__m512)lanes, _MM_FROUND_TO_NEAREST_INT);
    }
  };
};

}  // namespace

constinit const LevelKernels avx512_kernels = kernels_of<Avx512>();

}  // namespace treering::device
