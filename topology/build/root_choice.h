#pragma once

#include <vector>

#include "topology/build/tree_packing.h"

namespace treering::topology {

/// A root for every tree: a centre of the tree, or one of `preferred` where that makes no tree higher than the highest
/// already is; among those the one that roots least weight so far.
std::vector<int> choose_roots(const PairGraph& graph, const std::vector<WeightedTree>& trees,
                              const std::vector<int>& preferred);

}  // namespace treering::topology
