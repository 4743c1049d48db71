#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace treering::device {

/// One piece of a copy between many places and one, or many and many: packing and unpacking are the same work.
struct CopySegment {
  const std::byte* source = nullptr;
  std::byte* destination = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t begin = 0;  ///< bytes of all segments before this one; filled by `number_segments`
};

/// Fills `begin` and returns the sum of the bytes.
std::uint64_t number_segments(std::span<CopySegment> segments);

}  // namespace treering::device
