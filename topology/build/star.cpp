#include <algorithm>

#include "topology/build/cores.h"
#include "topology/build/pair_graph.h"
#include "topology/build/route_trees.h"
#include "topology/build/tree_pricing.h"

namespace treering::topology {

Forest plan_star(const LinkGraph& graph, const BuildOptions& options) {
  const RoutedPairs routed = routed_pairs(graph);
  std::vector<Wide> prices;
  for (const Pair& pair : routed.graph.pairs()) prices.push_back(-pair.capacity);

  std::vector<int> roots = options.roots;
  for (int member = 0; options.roots.empty() && member < graph.members; ++member) roots.push_back(member);
  const auto reaches_all = [&](int root) { return !level_tree(routed.graph, prices, root, 1).empty(); };
  std::vector<int> others;
  std::ranges::remove_copy_if(roots, std::back_inserter(others), reaches_all);

  Forest forest;
  if (options.roots.empty() && others.size() < roots.size()) {
    std::erase_if(roots, [&](int root) { return !reaches_all(root); });
    if (!others.empty()) forest.relaxed.push_back({"does not reach all others in one hop: roots nothing", others});
  } else if (!others.empty()) {
    forest.relaxed.push_back({"does not reach all others in one hop: breadth-first tree", others});
  }
  for (const int root : roots)
    forest.trees.push_back({root,
                            Rational::of(1, static_cast<Wide>(roots.size())),
                            level_tree(routed.graph, prices, root, graph.members),
                            {}});
  route_along(routed, forest.trees);
  return forest;
}

}  // namespace treering::topology
