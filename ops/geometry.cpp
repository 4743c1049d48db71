#include "ops/geometry.h"

#include <algorithm>

#include "fusion/batch.h"
#include "topology/build/tree_shape.h"

namespace treering::ops {

namespace {

constexpr std::uint64_t unit = fusion::segment_alignment;
constexpr int most_ring_nodes = 16;
constexpr int most_exchange_nodes = 8;
constexpr std::uint64_t exchange_limit = 32 * 1024;
/// Below this, one root in each node does all: fewer messages and hand-overs than shares would save in arithmetic.
constexpr std::uint64_t single_share_limit = 4 * 1024;

std::uint64_t round_down(std::uint64_t bytes) { return bytes / unit * unit; }
std::uint64_t round_up(std::uint64_t bytes) { return (bytes + unit - 1) / unit * unit; }

/// Hops up the tallest tree and down again beyond those of a star.
int further_hops(const topology::Plan& plan) {
  int hops = 2;
  for (const topology::NodePlan& node : plan.nodes)
    for (std::size_t share = 0; share < node.trees.size(); ++share)
      hops = std::max(hops, topology::tree_height(node.reduce_tree(share).parent) +
                                topology::tree_height(node.trees[share].parent));
  return hops - 2;
}

}  // namespace

Region Geometry::tree_region(int share) const {
  return {static_cast<std::uint64_t>(share) * depth * chunk, chunk, depth};
}

Region Geometry::inbox_region(int share) const { return tree_region(shares + share); }

CrossOrder Geometry::order(bool deterministic) const {
  return deterministic || nodes > most_ring_nodes ? CrossOrder::chain : CrossOrder::ring;
}

Geometry geometry_of(const topology::Plan& plan) {
  Geometry geometry;
  geometry.nodes = static_cast<int>(plan.nodes.size());
  geometry.shares = plan.shares;
  if (!plan.weights.empty()) geometry.bounds.push_back(0);
  for (const std::uint32_t weight : plan.weights) geometry.bounds.push_back(geometry.bounds.back() + weight);
  for (const topology::NodePlan& node : plan.nodes)
    geometry.widest = std::max(geometry.widest, static_cast<int>(node.ranks.size()));
  // A chunk's place is taken for two times round the nodes, and for the way up and down in trees deeper than stars. A
  // multiple of the number of nodes, so that the chunk that had a place before had the same role.
  const int nodes = std::min(geometry.nodes, most_ring_nodes);
  const int hops = (further_hops(plan) + nodes - 1) / nodes * nodes;
  geometry.depth = static_cast<std::uint64_t>(std::max(2 * nodes, 4) + hops);
  const std::uint64_t regions = static_cast<std::uint64_t>(geometry.shares) * (geometry.nodes > 1 ? 2 : 1);
  const std::uint64_t places = regions * geometry.depth;
  geometry.spread_depth = 4;
  const std::uint64_t spread_places = geometry.spread_depth * (geometry.nodes > 1 ? 2 : 1);
  geometry.slot_bytes = std::max(round_up(plan.slot_bytes), std::max(places, spread_places) * unit);
  const std::uint64_t wanted = std::max(round_down(plan.chunk_bytes), unit);
  geometry.chunk = std::min(wanted, round_down(geometry.slot_bytes / places));
  geometry.spread_chunk = std::min(wanted, round_down(geometry.slot_bytes / spread_places));
  return geometry;
}

// The product of two numbers below 2^32 fits; whole turns are taken out first.
std::uint64_t Sharing::cut(int share) const {
  const std::uint64_t units = (bytes + unit - 1) / unit;
  const auto j = static_cast<std::size_t>(share);
  if (bounds.empty()) return units * j / static_cast<std::uint64_t>(active);
  const std::uint64_t all = bounds.back();
  return units / all * bounds[j] + units % all * bounds[j] / all;
}

Range Sharing::range(int share) const {
  const std::uint64_t begin = cut(share) * unit;
  const std::uint64_t end = cut(share + 1) * unit;
  const std::uint64_t own = bounds.empty() ? chunk : round_up((end - begin + chunks - 1) / chunks);
  return {begin, std::min(end, bytes), std::max(own, unit), chunks};
}

Sharing share_out(const Geometry& geometry, std::uint64_t bytes) {
  const std::uint64_t units = (bytes + unit - 1) / unit;
  Sharing sharing;
  sharing.bytes = bytes;
  const auto most = static_cast<std::uint64_t>(bytes <= single_share_limit ? 1 : geometry.shares);
  sharing.active = static_cast<int>(std::clamp<std::uint64_t>(units, 1, most));
  if (sharing.active == geometry.shares) sharing.bounds = geometry.bounds;
  std::uint64_t longest = 0;
  for (int share = 0; share < sharing.active; ++share)
    longest = std::max(longest, sharing.cut(share + 1) - sharing.cut(share));
  sharing.chunk = geometry.chunk;
  sharing.chunks = std::max<std::uint64_t>(1, (longest * unit + sharing.chunk - 1) / sharing.chunk);
  return sharing;
}

bool exchanges_directly(const Geometry& geometry, const Sharing& sharing) {
  return geometry.nodes > 1 && geometry.nodes <= most_exchange_nodes && sharing.chunks == 1 &&
         sharing.bytes <= exchange_limit;
}

}  // namespace treering::ops
