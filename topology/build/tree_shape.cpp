#include "topology/build/tree_shape.h"

#include <algorithm>

namespace treering::topology {

namespace {
std::size_t index(int value) { return static_cast<std::size_t>(value); }
}  // namespace

std::vector<int> parents_from_edges(int members, const Edges& edges, int root) {
  std::vector<std::vector<int>> neighbours(index(members));
  for (const auto& [a, b] : edges) {
    neighbours[index(a)].push_back(b);
    neighbours[index(b)].push_back(a);
  }
  std::vector<int> parent(index(members), -2), queue{root};
  parent[index(root)] = -1;
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (const int next : neighbours[index(queue[head])])
      if (parent[index(next)] == -2) {
        parent[index(next)] = queue[head];
        queue.push_back(next);
      }
  return parent;
}

Edges edges_of(const std::vector<int>& parent) {
  Edges edges;
  for (std::size_t member = 0; member < parent.size(); ++member)
    if (parent[member] >= 0) edges.emplace_back(parent[member], static_cast<int>(member));
  return edges;
}

std::vector<int> depths(const std::vector<int>& parent) {
  std::vector<int> depth(parent.size(), -1);
  for (std::size_t member = 0; member < parent.size(); ++member) {
    int hops = 0, at = static_cast<int>(member);
    while (at >= 0 && parent[index(at)] != -1 && hops <= static_cast<int>(parent.size())) {
      at = parent[index(at)];
      ++hops;
    }
    if (at >= 0 && hops <= static_cast<int>(parent.size())) depth[member] = hops;
  }
  return depth;
}

int tree_height(const std::vector<int>& parent) {
  if (std::ranges::count(parent, -1) != 1) return -1;
  int height = 0;
  for (const int depth : depths(parent)) {
    if (depth < 0) return -1;
    height = std::max(height, depth);
  }
  return height;
}

std::vector<int> eccentricities(int members, const Edges& edges) {
  std::vector<int> result;
  for (int root = 0; root < members; ++root) result.push_back(tree_height(parents_from_edges(members, edges, root)));
  return result;
}

}  // namespace treering::topology
