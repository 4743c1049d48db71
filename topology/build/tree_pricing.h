#pragma once

#include <optional>
#include <vector>

#include "topology/build/pair_graph.h"

namespace treering::topology {

/// A spanning tree as pair indices, and the sum of their prices.
struct PricedTree {
  Wide price = 0;
  std::vector<int> pairs;
};

/// Cheapest spanning tree (Prim); nullopt if the pairs do not connect the members.
std::optional<PricedTree> cheapest_tree(const PairGraph& graph, const std::vector<Wide>& prices);

/// Cheapest tree among those of height at most `height` from some member, by dynamic programming over (members reached,
/// last level): exact, 4^members steps per level, for graphs of at most exact_members.
inline constexpr int exact_members = 8;
std::optional<PricedTree> cheapest_low_tree(const PairGraph& graph, const std::vector<Wide>& prices, int height);

/// A cheap tree of height at most `height`: breadth-first trees from every member, improved by hanging members
/// elsewhere.
std::optional<PricedTree> cheap_low_tree(const PairGraph& graph, const std::vector<Wide>& prices, int height);

/// Breadth-first tree in which every member hangs under the cheapest member of the level above; empty if not all
/// members are reached within `height`.
std::vector<int> level_tree(const PairGraph& graph, const std::vector<Wide>& prices, int root, int height);

}  // namespace treering::topology
