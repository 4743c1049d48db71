#pragma once

#include <vector>

#include "topology/build/balanced_trees.h"
#include "topology/build/rational.h"

namespace treering::topology {

/// One tree per root such that the fullest pair carries as few trees per capacity as the search can make it: each tree
/// in turn is replaced by the best balanced one against the load of all others (a convex price on load) where the
/// dynamic program for `rounds` is cheap, else improved by exchanges and moves of members within it; kicks lead out of
/// local optima. Deterministic. Stops at `goal` (trees per capacity), below which no set can go, or when the step
/// budget is used. parents[i] must be a tree of roots[i] and is replaced by one that takes no more rounds; `fixed`
/// trees load the pairs too. With rounds 0 there is no dynamic program and the first trees are the start.
void spare_worst_pair(const PairGraph& graph, int rounds, const std::vector<int>& roots, const Rational& goal,
                      const std::vector<std::vector<int>>& fixed, std::vector<std::vector<int>>& parents);

}  // namespace treering::topology
