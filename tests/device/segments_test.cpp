#include <doctest/doctest.h>

#include "device/copy_segment.h"
#include "device/cuda/availability.h"

using namespace treering::device;

TEST_CASE("segments are numbered by the bytes before them, empty ones too") {
  CopySegment segments[] = {{nullptr, nullptr, 7, 99}, {nullptr, nullptr, 0, 99}, {nullptr, nullptr, 5, 99}};
  CHECK(number_segments(segments) == 12);
  CHECK(segments[0].begin == 0);
  CHECK(segments[1].begin == 7);
  CHECK(segments[2].begin == 7);
  CHECK(number_segments({}) == 0);
}

TEST_CASE("a build without CUDA says so, any other says why there are no devices") {
  const CudaAvailability cuda = cuda_availability();
  CHECK((cuda.devices == 0) == !cuda.reason.empty());
  if (cuda.compiled_version == 0) CHECK(cuda.runtime_version == 0);
}
