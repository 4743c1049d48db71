#pragma once

#include <cstdint>
#include <vector>

#include "ops/batch_shape.h"
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
  std::uint64_t before = 0;       ///< chunks that the holder fed (relayed, if distance > 0) before this item
  std::uint64_t sent_before = 0;  ///< those of them that it sent on
  bool sent = false;              ///< to the next node
};

/// All items of a node in the order of sources, in which every node handles them: whatever waits for a place or for the
/// next node then waits for something earlier in one order, so nothing can wait in a circle. Sources without bytes are
/// left out.
std::vector<SpreadItem> spread_items(const topology::Plan& plan, const BatchShape& shape, std::uint64_t chunk,
                                     int node);

/// Of each rank of a node, the first member. Only these are sources and relays, so that a rank's messages have one
/// order.
std::vector<int> first_members(const topology::NodePlan& node);

/// The member of `node` through which the bytes of a source on another node pass; sources are dealt round.
int relay_of(const topology::Plan& plan, int node, int source);

}  // namespace treering::ops
