#include <algorithm>

#include "topology/build/breadth_first.h"
#include "topology/build/cores.h"
#include "topology/build/switch_removal.h"

namespace treering::topology {

namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

/// Copies of one arborescence differ in the strands they run over: as many trees as there are combinations in use.
void add_trees(const Arborescence& source, const Rational& share_of_one, StrandedArcs& fabric,
               std::vector<ForestTree>& trees) {
  const auto strands = [&](std::size_t member) -> std::vector<Strand>& {
    return fabric.strands[index(source.parent[member] * fabric.arcs.members) + member];
  };
  for (Wide left = source.count; left > 0;) {
    Wide part = left;
    for (std::size_t member = 0; member < source.parent.size(); ++member)
      if (source.parent[member] >= 0) part = std::min(part, strands(member).back().amount);
    ForestTree tree{source.root, share_of_one * Rational::of(part, 1), source.parent, {}};
    tree.route.resize(source.parent.size());
    for (std::size_t member = 0; member < source.parent.size(); ++member) {
      if (source.parent[member] < 0) continue;
      Strand& strand = strands(member).back();
      tree.route[member] = strand.path;
      strand.amount -= part;
      if (strand.amount == 0) strands(member).pop_back();
    }
    trees.push_back(std::move(tree));
    left -= part;
  }
}

/// Broadcast trees at the best rate; empty if switches with unequal directions leave less than that.
std::vector<ForestTree> optimal_trees(const LinkGraph& graph, const std::vector<std::int64_t>& data) {
  std::int64_t all = 0;
  for (const std::int64_t part : data) all += part;
  const Rational per_part = allgather_bound(graph, data).rate / Rational(all);
  std::vector<Wide> roots;
  for (const std::int64_t part : data) roots.push_back(multiply(per_part.numerator(), part));
  StrandedArcs fabric = remove_switches(graph, per_part.denominator(), roots);
  const auto packed = pack_arborescences(fabric.arcs, roots);
  std::vector<ForestTree> trees;
  if (!packed) return trees;
  const Rational share_of_one = Rational::of(1, multiply(per_part.numerator(), all));
  for (const Arborescence& tree : *packed) add_trees(tree, share_of_one, fabric, trees);
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
