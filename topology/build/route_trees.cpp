#include "topology/build/route_trees.h"

#include <algorithm>

namespace treering::topology {

void route_directly(std::vector<ForestTree>& trees) {
  for (ForestTree& tree : trees) {
    tree.route.resize(tree.parent.size());
    for (std::size_t member = 0; member < tree.parent.size(); ++member)
      if (tree.route[member].empty() && tree.parent[member] >= 0)
        tree.route[member] = {tree.parent[member], static_cast<int>(member)};
  }
}

void route_along(const RoutedPairs& pairs, std::vector<ForestTree>& trees) {
  for (ForestTree& tree : trees) {
    tree.route.assign(tree.parent.size(), {});
    for (std::size_t member = 0; member < tree.parent.size(); ++member) {
      if (tree.parent[member] < 0) continue;
      const int child = static_cast<int>(member), pair = pairs.graph.between(tree.parent[member], child);
      tree.route[member] = pairs.routes[static_cast<std::size_t>(pair)];
      if (tree.route[member].back() != child) std::ranges::reverse(tree.route[member]);
    }
  }
}

}  // namespace treering::topology
