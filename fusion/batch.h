#pragma once

#include <cstdint>
#include <vector>

#include "base/request.h"

namespace treering::fusion {

/// Every segment begins at a multiple of this in the batch, so a boundary at such a multiple never splits an element.
inline constexpr std::uint64_t segment_alignment = 64;

/// A run of bytes of one tensor inside a batch.
struct Segment {
  std::uint32_t item = 0;           ///< index into the round's items
  std::uint32_t tensor = 0;         ///< index into the request's tensors (0 unless a bundle)
  std::uint64_t tensor_offset = 0;  ///< first byte, within the tensor
  std::uint64_t batch_offset = 0;   ///< where it lies in the batch; a multiple of segment_alignment
  std::uint64_t bytes = 0;
};

/// Tensors of one round that travel together through one data operation. `bytes` counts the padding between segments;
/// segments are in ascending order and never empty. All segments share type, op and scales. An allgather has no
/// segments, because its sizes are not known here.
struct Batch {
  OperationKind kind = OperationKind::allreduce;
  DataType type = DataType::f32;
  ReduceOp op = ReduceOp::sum;
  std::int32_t root = 0;
  double prescale = 1.0;
  double postscale = 1.0;
  std::uint32_t item = 0;  ///< allgather only: index into the round's items
  std::uint64_t bytes = 0;
  std::vector<Segment> segments;
};

}  // namespace treering::fusion
