#include "device/host/reduce_loop.h"

namespace treering::device {

namespace {

/// What every CPU of the architecture can do.
struct Baseline {
  static constexpr int bytes = 16;
  using Float16Codec = SoftFloat16Codec<Baseline>;
};

}  // namespace

constinit const LevelKernels baseline_kernels = kernels_of<Baseline>();

}  // namespace treering::device
