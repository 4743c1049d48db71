#include <algorithm>

#include "topology/build/cores.h"
#include "topology/build/evaluate.h"
#include "topology/build/even_removal.h"
#include "topology/build/pair_graph.h"
#include "topology/build/root_choice.h"
#include "topology/build/tree_packing.h"

namespace treering::topology {

namespace {

Rational strength(const PairGraph& pairs) {
  LinkGraph graph(pairs.members(), pairs.members());
  for (const auto& [a, b, capacity] : pairs.pairs())
    graph.at(a, b) = graph.at(b, a) = static_cast<std::int64_t>(capacity);
  return allreduce_bound(graph).rate;
}

int height_at_centres(const PairGraph& pairs, const TreePacking& packing) {
  int height = 0;
  for (const WeightedTree& tree : packing.trees)
    height = std::max(height, std::ranges::min(eccentricities(pairs.members(), pairs.edges(tree.pairs))));
  return height;
}

/// Fewer trees where less than everything suffices. Trees are ordered by falling weight.
void drop_lightest(TreePacking& packing, const Rational& enough) {
  sort_by_weight(packing.trees);
  while (!packing.trees.empty() && packing.value - packing.trees.back().weight >= enough) {
    packing.value = packing.value - packing.trees.back().weight;
    packing.trees.pop_back();
  }
}

std::vector<ForestTree> rooted_trees(const PairGraph& pairs, const TreePacking& packing, const BuildOptions& options) {
  const std::vector<int> roots = choose_roots(pairs, packing.trees, options.preferred_roots);
  std::vector<ForestTree> trees;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    ForestTree tree;
    tree.root = roots[i];
    tree.share = packing.trees[i].weight;
    tree.parent = parents_from_edges(pairs.members(), pairs.edges(packing.trees[i].pairs), tree.root);
    trees.push_back(std::move(tree));
  }
  return trees;
}

/// Trees over the pairs whose shares are still weights.
Forest pack(const PairGraph& pairs, const BuildOptions& options) {
  const Rational optimum = strength(pairs), enough = optimum * options.accept;
  // The flow method always gets there; the search for lower trees may improve on it.
  TreePacking packing = pack_trees_by_flow(pairs, optimum);
  const int tallest = height_at_centres(pairs, packing);
  const int limit = options.max_height > 0 ? options.max_height : tallest - 1;
  TreePacking low = pack_low_trees(pairs, enough, std::min(limit, pairs.members() - 1));
  if (low.value >= enough || (options.max_height > 0 && tallest > options.max_height && !low.trees.empty()))
    packing = std::move(low);
  Forest forest;
  const std::string height = std::to_string(options.max_height);
  if (packing.value < enough)
    forest.relaxed.push_back(
        {"trees of height " + height + " reach " + (packing.value / optimum).text() + " of the optimum", {}});
  else if (options.max_height > 0 && height_at_centres(pairs, packing) > options.max_height)
    forest.relaxed.push_back({"no tree of height " + height + " spans the members", {}});
  drop_lightest(packing, enough);
  forest.trees = rooted_trees(pairs, packing, options);
  return forest;
}

Rational total_share(const std::vector<ForestTree>& trees) {
  Rational sum;
  for (const ForestTree& tree : trees) sum += tree.share;
  return sum;
}

void normalise(std::vector<ForestTree>& trees) {
  const Rational all = total_share(trees);
  for (ForestTree& tree : trees) tree.share = tree.share / all;
}

/// Packs pairs that stand for routes through switches. No trees if that is not possible exactly.
Forest pack_spliced(const LinkGraph& graph, const BuildOptions& options) {
  try {
    const auto spliced = remove_switches_evenly(graph, allreduce_bound(graph).rate);
    if (!spliced || !spliced->graph.connected()) return {};
    Forest forest = pack(spliced->graph, options);
    for (ForestTree& tree : forest.trees) tree.share = tree.share / Rational::of(spliced->scale, 1);
    forest.trees = routed_trees(forest.trees, spliced->strands, spliced->scale, Use::both_ways);
    return forest;
  } catch (const Overflow&) {
    return {};
  }
}

/// Where splicing falls short of the bound, `forest` with both phases at once may do better.
Forest plan_through_switches(const LinkGraph& graph, const BuildOptions& options) {
  Forest packed = pack_spliced(graph, options);
  if (!packed.trees.empty()) {
    normalise(packed.trees);
    evaluate(graph, packed);
    if (packed.rate >= allreduce_bound(graph).rate * options.accept) return packed;
  }
  Forest forest = plan_forest(graph, options);
  forest.operation = Operation::allreduce;
  evaluate(graph, forest);
  return packed.rate >= forest.rate ? packed : forest;
}

}  // namespace

Forest plan_packed(const LinkGraph& graph, const BuildOptions& options) {
  if (graph.vertices > graph.members) return plan_through_switches(graph, options);
  Forest forest = pack(direct_pairs(graph), options);
  normalise(forest.trees);
  return forest;
}

}  // namespace treering::topology
