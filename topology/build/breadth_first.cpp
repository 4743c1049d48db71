#include "topology/build/breadth_first.h"

#include <algorithm>

namespace treering::topology {

namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

std::vector<int> previous_hops(const LinkGraph& graph, int root) {
  std::vector<int> previous(index(graph.vertices), -1), queue{root};
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (int to = 0; to < graph.vertices; ++to)
      if (to != root && previous[index(to)] < 0 && graph.at(queue[head], to) > 0) {
        previous[index(to)] = queue[head];
        queue.push_back(to);
      }
  return previous;
}

}  // namespace

std::vector<ForestTree> breadth_first_trees(const LinkGraph& graph) {
  std::vector<ForestTree> trees;
  for (int root = 0; root < graph.members; ++root) {
    const std::vector<int> previous = previous_hops(graph, root);
    ForestTree tree{root, Rational::of(1, graph.members), std::vector<int>(index(graph.members), -1), {}};
    tree.route.resize(index(graph.members));
    for (int member = 0; member < graph.members; ++member) {
      if (member == root) continue;
      std::vector<int>& route = tree.route[index(member)];
      route = {member};
      do route.push_back(previous[index(route.back())]);
      while (route.back() >= graph.members);
      tree.parent[index(member)] = route.back();
      std::ranges::reverse(route);
    }
    trees.push_back(std::move(tree));
  }
  return trees;
}

}  // namespace treering::topology
