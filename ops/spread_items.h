#pragma once

#include <cstdint>
#include <vector>

#include "ops/shape.h"
#include "topology/plan.h"

namespace treering::ops {

/// One rank's bytes on their way to everybody, seen from one node: the `holder` has them in its slots first, as the
/// source itself or because it receives them from the node before; the node's others take them from there.
struct SpreadItem {
  int source = 0;    ///< rank
  int distance = 0;  ///< nodes passed since the source's node
  int holder = 0;    ///< local member
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::uint64_t chunks = 0;
  std::uint64_t before = 0;  ///< chunks that the holder fed (relayed, if distance > 0) before this item
};

/// All items of a node in the order in which it handles them: nearest sources first, which is also the order in which
/// they arrive. Sources without bytes are left out.
std::vector<SpreadItem> spread_items(const topology::Plan& plan, const Shape& shape, std::uint64_t chunk, int node);

/// The member of `node` through which the bytes of a source on another node pass; sources are dealt round.
int relay_of(const topology::Plan& plan, int node, int source);

}  // namespace treering::ops
