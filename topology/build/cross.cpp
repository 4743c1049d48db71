#include "topology/build/cross.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "topology/build/tree_shape.h"

namespace treering::topology {

namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

void start_with_first(std::vector<int>& order) { std::ranges::rotate(order, std::ranges::find(order, 0)); }

/// Binary search tree over positions first .. first + count - 1 whose inner positions are the odd ones, counted from 0:
/// the left part of each is odd in size, so that its ends are leaves.
int hang_up(int first, int count, int above, std::vector<int>& parent) {
  if (count == 0) return -1;
  int left = count / 2;
  if (left % 2 == 0) left = left + 1 < count ? left + 1 : left - 1;
  left = std::max(left, 0);
  const int root = first + left;
  parent[index(root)] = above;
  hang_up(first, left, root, parent);
  hang_up(root + 1, count - left - 1, root, parent);
  return root;
}

/// Tree over the nodes when position i is taken by node place(i).
template <class Place>
Tree placed(const std::vector<int>& parent, int root, Place place) {
  Tree tree{place(root), std::vector<int>(parent.size(), -1)};
  for (int position = 0; position < static_cast<int>(parent.size()); ++position)
    if (parent[index(position)] >= 0) tree.parent[index(place(position))] = place(parent[index(position)]);
  return tree;
}

}  // namespace

std::vector<int> ring_order(const std::vector<std::vector<int>>& location) {
  std::vector<int> order(location.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](int node) { return std::pair(location[index(node)], node); });
  if (!order.empty()) start_with_first(order);
  return order;
}

std::vector<int> ring_order_by_distance(int nodes, const std::vector<std::int64_t>& distance) {
  const auto between = [&](int a, int b) { return distance[index(a) * index(nodes) + index(b)]; };
  std::vector<int> order;
  std::vector<bool> taken(index(nodes));
  for (int at = 0; static_cast<int>(order.size()) < nodes;) {
    order.push_back(at);
    taken[index(at)] = true;
    int nearest = -1;
    for (int other = 0; other < nodes; ++other)
      if (!taken[index(other)] && (nearest < 0 || between(at, other) < between(at, nearest))) nearest = other;
    at = nearest;
  }
  for (bool changed = nodes > 3; changed;) {
    changed = false;
    for (int i = 0; i + 2 < nodes; ++i)
      for (int j = i + 2; j < nodes && (i > 0 || j + 1 < nodes); ++j) {
        const int a = order[index(i)], b = order[index(i + 1)], c = order[index(j)], d = order[index((j + 1) % nodes)];
        if (between(a, c) + between(b, d) >= between(a, b) + between(c, d)) continue;
        std::reverse(order.begin() + i + 1, order.begin() + j + 1);
        changed = true;
      }
  }
  return order;
}

std::array<Tree, 2> double_tree(const std::vector<int>& order) {
  const int nodes = static_cast<int>(order.size());
  std::vector<int> parent(order.size(), -1);
  const int root = hang_up(0, nodes, -1, parent);
  // Shifted by one, odd positions become even ones; in an odd number of nodes one of them is then inner in neither
  // tree.
  const auto other = [&](int position) { return order[index((position + 1) % nodes)]; };
  if (nodes == 0) return {};
  return {placed(parent, root, [&](int position) { return order[index(position)]; }), placed(parent, root, other)};
}

double cross_seconds(CrossAlgorithm algorithm, int nodes, std::uint64_t bytes, double bytes_per_second,
                     const CostConstants& constants) {
  if (nodes < 2) return 0;
  const double size = static_cast<double>(bytes), step = constants.hop_seconds + constants.launch_seconds;
  if (algorithm == CrossAlgorithm::ring) return 2 * (nodes - 1) * (step + size / nodes / bytes_per_second);
  std::vector<int> order(index(nodes));
  std::iota(order.begin(), order.end(), 0);
  const double fill = 2.0 * tree_height(double_tree(order)[0].parent) - 1;
  const double chunks = std::clamp(std::round(std::sqrt(fill * 2 * size / bytes_per_second / step)), 1.0,
                                   std::max(1.0, size / static_cast<double>(constants.least_chunk_bytes)));
  return (fill + chunks) * (step + 2 * size / chunks / bytes_per_second);
}

CrossAlgorithm choose_cross(int nodes, std::uint64_t bytes, double bytes_per_second, const CostConstants& constants) {
  const auto time = [&](CrossAlgorithm algorithm) {
    return cross_seconds(algorithm, nodes, bytes, bytes_per_second, constants);
  };
  return time(CrossAlgorithm::double_tree) < time(CrossAlgorithm::ring) ? CrossAlgorithm::double_tree
                                                                        : CrossAlgorithm::ring;
}

double hierarchical_seconds(double inside_seconds, double cross, std::int64_t chunks) {
  const double count = static_cast<double>(std::max<std::int64_t>(chunks, 1));
  return std::max(inside_seconds, cross) + std::min(inside_seconds, cross) / count;
}

}  // namespace treering::topology
