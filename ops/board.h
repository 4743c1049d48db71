#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "ops/area.h"

namespace treering::ops {

/// Where a segment lies in a member's mappable memory, in bytes from its beginning.
struct SegmentOffsets {
  std::uint64_t input = 0;
  std::uint64_t output = 0;
};

/// A member's word to its node about one batch: where its segments lie, or that they are private. Written by the member
/// while it holds the lane, read by all; a lane is free only when all have read.
class Board {
 public:
  static constexpr std::size_t bytes = AreaLayout::line + most_posted_segments * sizeof(SegmentOffsets);

  explicit Board(std::byte* where) : where_(where) {}

  /// Entries to fill before `publish`.
  std::span<SegmentOffsets> entries(std::size_t count) const;
  /// `sequence` grows from batch to batch.
  void publish(std::uint64_t sequence, bool mapped) const;
  bool published(std::uint64_t sequence) const;
  /// Only after `published`.
  bool mapped() const;

 private:
  std::byte* where_;
};

}  // namespace treering::ops
