#include "ops/path.h"

#include "ops/area.h"

namespace treering::ops {

PathChoice choose_path(const BatchShape& shape, const Geometry& geometry, int members, std::size_t segments,
                       std::uint64_t one_shot_limit) {
  if (shape.kind != OperationKind::allreduce || members == 1 || shape.bytes == 0) return {};
  const bool small = shape.bytes <= one_shot_limit;
  if (small && geometry.nodes == 1 && shape.bytes <= geometry.slot_bytes) return {PathClass::one_shot, false};
  return {PathClass::staged, !small && segments <= most_posted_segments};
}

}  // namespace treering::ops
