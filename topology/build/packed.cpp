#include <algorithm>

#include "topology/build/cores.h"
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
  std::ranges::stable_sort(packing.trees, std::greater(), &WeightedTree::weight);
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
    tree.share = packing.trees[i].weight / packing.value;
    tree.parent = parents_from_edges(pairs.members(), pairs.edges(packing.trees[i].pairs), tree.root);
    trees.push_back(std::move(tree));
  }
  return trees;
}

/// Routes through switches are the business of `forest`; its trees serve an allreduce with both phases at once.
Forest plan_through_switches(const LinkGraph& graph, const BuildOptions& options) {
  Forest forest = plan_forest(graph, options);
  forest.operation = Operation::allreduce;
  return forest;
}

}  // namespace

Forest plan_packed(const LinkGraph& graph, const BuildOptions& options) {
  if (graph.vertices > graph.members) return plan_through_switches(graph, options);
  const PairGraph pairs = direct_pairs(graph);
  const Rational optimum = strength(pairs), enough = optimum * options.accept;
  // The flow method always gets there; the search for lower trees may improve on it.
  TreePacking packing = pack_trees_by_flow(pairs, optimum);
  const int tallest = height_at_centres(pairs, packing);
  const int limit = options.max_height > 0 ? options.max_height : tallest - 1;
  TreePacking low = pack_low_trees(pairs, enough, std::min(limit, pairs.members() - 1));
  Forest forest;
  std::string note;
  if (low.value >= enough || (options.max_height > 0 && tallest > options.max_height && !low.trees.empty()))
    packing = std::move(low);
  if (packing.value < enough)
    note = "trees of height " + std::to_string(options.max_height) + " reach " + packing.value.text() +
           " of the optimum " + optimum.text();
  else if (options.max_height > 0 && height_at_centres(pairs, packing) > options.max_height)
    note = "no tree of height " + std::to_string(options.max_height) + " spans the members";
  if (!note.empty()) forest.relaxed.push_back({note, {}});
  drop_lightest(packing, enough);
  forest.trees = rooted_trees(pairs, packing, options);
  return forest;
}

}  // namespace treering::topology
