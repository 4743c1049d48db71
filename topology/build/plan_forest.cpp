#include <algorithm>

#include "topology/build/breadth_first.h"
#include "topology/build/cores.h"
#include "topology/build/switch_removal.h"

namespace treering::topology {

namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

/// Broadcast trees at the best rate; empty if switches with unequal directions leave less than that.
std::vector<ForestTree> optimal_trees(const LinkGraph& graph, const std::vector<std::int64_t>& data) {
  std::int64_t all = 0;
  for (const std::int64_t part : data) all += part;
  const Rational per_part = allgather_bound(graph, data).rate / Rational(all);
  std::vector<Wide> roots;
  for (const std::int64_t part : data) roots.push_back(multiply(per_part.numerator(), part));
  const StrandedArcs fabric = remove_switches(graph, per_part.denominator(), roots);
  const auto packed = pack_arborescences(fabric.arcs, roots);
  if (!packed) return {};
  std::vector<ForestTree> trees;
  for (const Arborescence& tree : *packed) trees.push_back({tree.root, Rational::of(tree.count, 1), tree.parent, {}});
  trees = routed_trees(trees, fabric.strands, 1, Use::one_way);
  const Rational everything = Rational::of(multiply(per_part.numerator(), all), 1);
  for (ForestTree& tree : trees) tree.share = tree.share / everything;
  return trees;
}

}  // namespace

Forest plan_forest(const LinkGraph& graph, const BuildOptions& options) {
  std::vector<std::int64_t> data = options.root_data;
  if (data.empty()) data.assign(index(graph.members), 1);
  const LinkGraph backwards = reversed(graph);
  Forest forest;
  forest.operation = Operation::allgather;
  forest.trees = optimal_trees(graph, data);
  if (backwards.capacity != graph.capacity) forest.reduce_trees = optimal_trees(backwards, data);
  const bool incomplete = forest.trees.empty() || (backwards.capacity != graph.capacity && forest.reduce_trees.empty());
  if (!incomplete) return forest;
  forest.trees = breadth_first_trees(graph);
  forest.reduce_trees = breadth_first_trees(backwards);
  forest.relaxed.push_back({"a switch sends and receives unequally: breadth-first trees", {}});
  return forest;
}

}  // namespace treering::topology
