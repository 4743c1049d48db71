#include "device/copy_segment.h"

namespace treering::device {

std::uint64_t number_segments(std::span<CopySegment> segments) {
  std::uint64_t sum = 0;
  for (CopySegment& segment : segments) {
    segment.begin = sum;
    sum += segment.bytes;
  }
  return sum;
}

}  // namespace treering::device
