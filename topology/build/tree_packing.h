#pragma once

#include <optional>
#include <vector>

#include "topology/build/pair_graph.h"
#include "topology/build/rational.h"

namespace treering::topology {

struct WeightedTree {
  std::vector<int> pairs;  ///< indices of pairs, ascending
  Rational weight;         ///< capacity taken from each
};

/// Heaviest first; equals by their pairs.
void sort_by_weight(std::vector<WeightedTree>& trees);

struct TreePacking {
  std::vector<WeightedTree> trees;
  Rational value;  ///< sum of the weights
};

/// Packs spanning trees by column generation, first of height 1, then 2, and so on, until `target` is reached: so the
/// result has the least height for which the search found enough (for graphs of at most exact_members: the least there
/// is). Then drops trees as long as the rest still reaches the target. `max_height` 0 = any. The value falls short of
/// the target if max_height forbids it, or if arithmetic or the step budget gives out first.
TreePacking pack_low_trees(const PairGraph& graph, const Rational& target, int max_height);

/// Packs spanning trees of total weight exactly `target`, which must not exceed the strength of the graph: takes a base
/// of the tree polymatroid edge by edge (Cunningham 1985), directs it so that every member but one receives `target`,
/// and splits that into arborescences. Polynomial for any size; heights are whatever comes out.
TreePacking pack_trees_by_flow(const PairGraph& graph, const Rational& target);

}  // namespace treering::topology
