#include <algorithm>
#include <map>

#include "controller/subtree.h"

namespace treering::controller {
namespace {

// Ranks of each node, ascending; nodes in the order of their numbers. The first of each is its leader.
std::vector<std::vector<int>> ranks_by_node(const transport::World& world) {
  std::map<int, std::vector<int>> nodes;
  for (int rank = 0; rank < world.size; ++rank) nodes[world.node_of[static_cast<std::size_t>(rank)]].push_back(rank);
  std::vector<std::vector<int>> ordered;
  for (auto& [node, ranks] : nodes) ordered.push_back(std::move(ranks));
  // Rank 0 leads the root's node, whatever that node is called.
  const auto root = std::find_if(ordered.begin(), ordered.end(), [](const auto& ranks) { return ranks.front() == 0; });
  if (root != ordered.end()) std::rotate(ordered.begin(), root, root + 1);
  return ordered;
}

std::vector<std::size_t> child_nodes(std::size_t place, std::size_t count, std::size_t fanout) {
  std::vector<std::size_t> children;
  for (std::size_t child = place * fanout + 1; child <= place * fanout + fanout && child < count; ++child)
    children.push_back(child);
  return children;
}

std::size_t width(int fanout) { return static_cast<std::size_t>(std::max(fanout, 1)); }

void add_node(const std::vector<std::vector<int>>& nodes, std::size_t place, std::size_t fanout, RankSet& ranks) {
  for (const int rank : nodes[place]) ranks.add(rank);
  for (const std::size_t child : child_nodes(place, nodes.size(), fanout)) add_node(nodes, child, fanout, ranks);
}

int height(std::size_t place, std::size_t count, std::size_t fanout) {
  // Heap order: the first child's line is the longest.
  int levels = 0;
  while ((place = place * fanout + 1) < count) ++levels;
  return levels;
}

}  // namespace

Neighbours neighbours_of(const transport::World& world, int rank, int fanout) {
  const auto nodes = ranks_by_node(world);
  const auto mine = std::find_if(nodes.begin(), nodes.end(), [&](const std::vector<int>& ranks) {
    return std::binary_search(ranks.begin(), ranks.end(), rank);
  });
  const auto place = static_cast<std::size_t>(mine - nodes.begin());
  Neighbours neighbours;
  if (mine->front() != rank) {
    neighbours.parent = mine->front();
    return neighbours;
  }
  if (place > 0) neighbours.parent = nodes[(place - 1) / width(fanout)].front();
  neighbours.children.assign(mine->begin() + 1, mine->end());
  for (const std::size_t child : child_nodes(place, nodes.size(), width(fanout)))
    neighbours.children.push_back(nodes[child].front());
  return neighbours;
}

std::vector<RankSet> slots_of(const transport::World& world, int rank, int fanout) {
  const auto nodes = ranks_by_node(world);
  std::vector<RankSet> slots{RankSet::of(rank)};
  for (std::size_t place = 0; place < nodes.size(); ++place) {
    if (nodes[place].front() != rank) continue;
    for (std::size_t i = 1; i < nodes[place].size(); ++i) slots.push_back(RankSet::of(nodes[place][i]));
    for (const std::size_t child : child_nodes(place, nodes.size(), width(fanout)))
      add_node(nodes, child, width(fanout), slots.emplace_back());
  }
  return slots;
}

int height_of(const transport::World& world, int rank, int fanout) {
  const auto nodes = ranks_by_node(world);
  for (std::size_t place = 0; place < nodes.size(); ++place)
    if (nodes[place].front() == rank) return height(place, nodes.size(), width(fanout));
  return 0;
}

}  // namespace treering::controller
