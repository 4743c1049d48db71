#pragma once

#include <cstddef>
#include <cstdint>

#include "ops/batch_shape.h"

namespace treering::ops {

/// How a node moves a batch, as far as it can be told without knowing addresses. If `depends_on_memory`, the members
/// post where their segments lie, and take `mapped` if all of them are mapped, else `path`.
struct PathChoice {
  PathClass path = PathClass::staged;
  bool depends_on_memory = false;
};

PathChoice choose_path(const BatchShape& shape, const Geometry& geometry, int members, std::size_t segments,
                       std::uint64_t one_shot_limit);

}  // namespace treering::ops
