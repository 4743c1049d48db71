#include "topology/build/forest_plan.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace treering::topology {

namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

/// Smallest number of equal parts that all shares are multiples of; 0 if it exceeds `most`.
std::uint64_t common_parts(const std::vector<Rational>& shares, std::uint64_t most) {
  Wide parts = 1;
  for (const Rational& share : shares) {
    const Wide factor = share.denominator() / greatest_common_divisor(parts, share.denominator());
    if (factor > static_cast<Wide>(most) || multiply(parts, factor) > static_cast<Wide>(most)) return 0;
    parts *= factor;
  }
  return static_cast<std::uint64_t>(parts);
}

/// How full links are when trees of equal parts use them, per capacity.
class LinkFill {
 public:
  explicit LinkFill(const LinkGraph& graph) : graph_(graph), used_(graph.capacity.size()) {}

  void put(const ForestTree& tree, int sign) {
    for (const std::vector<int>& route : tree.route)
      for (std::size_t hop = 1; hop < route.size(); ++hop) {
        used_[place(route[hop - 1], route[hop])] += sign;
        used_[place(route[hop], route[hop - 1])] += sign;
      }
  }

  /// Fullest link, then a convex sum over all, so that ties are broken by what comes next.
  std::pair<double, double> fullness() const {
    double most = 0, sum = 0;
    for (std::size_t link = 0; link < used_.size(); ++link) {
      if (used_[link] == 0) continue;
      const double fill = used_[link] / static_cast<double>(std::max<std::int64_t>(graph_.capacity[link], 1));
      most = std::max(most, fill);
      sum += fill * fill * fill * fill;
    }
    return {most, sum};
  }

 private:
  std::size_t place(int from, int to) const { return index(from) * index(graph_.vertices) + index(to); }

  const LinkGraph& graph_;
  std::vector<int> used_;
};

}  // namespace

WeightedTrees weighted_trees(const Forest& forest, std::uint64_t most_parts) {
  std::map<std::pair<int, std::vector<int>>, Rational> merged;
  for (const ForestTree& tree : forest.trees) merged[{tree.root, tree.parent}] += tree.share;
  std::vector<Rational> shares;
  WeightedTrees result;
  for (const auto& [tree, share] : merged) {
    result.trees.push_back({tree.first, tree.second});
    shares.push_back(share);
  }
  const std::uint64_t exact = common_parts(shares, most_parts), parts = exact > 0 ? exact : most_parts;
  for (const Rational& share : shares) {
    const double wanted = share.value() * static_cast<double>(parts);
    result.weights.push_back(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted + 0.5)));
  }
  return result;
}

std::vector<Tree> equal_share_trees(const LinkGraph& graph, const Forest& forest, int shares) {
  std::vector<Tree> result;
  if (forest.trees.empty()) return result;
  LinkFill links(graph);
  std::vector<int> rooted(index(graph.members));
  std::vector<double> given(forest.trees.size());
  for (int share = 0; share < shares; ++share) {
    std::size_t best = 0;
    std::tuple<double, double, int, double> least;
    for (std::size_t i = 0; i < forest.trees.size(); ++i) {
      links.put(forest.trees[i], 1);
      const auto [most, sum] = links.fullness();
      links.put(forest.trees[i], -1);
      const std::tuple rank{most, sum, rooted[index(forest.trees[i].root)], given[i] - forest.trees[i].share.value()};
      if (i > 0 && rank >= least) continue;
      best = i;
      least = rank;
    }
    const ForestTree& tree = forest.trees[best];
    links.put(tree, 1);
    ++rooted[index(tree.root)];
    given[best] += 1.0 / shares;
    result.push_back({tree.root, tree.parent});
  }
  return result;
}

Plan forest_plan(const std::vector<NodeForest>& nodes, const std::vector<int>& order, int max_shares,
                 std::uint64_t chunk_bytes, std::uint64_t slot_bytes) {
  Plan plan;
  plan.chunk_bytes = chunk_bytes;
  plan.slot_bytes = slot_bytes;
  std::size_t largest = 1;
  for (const NodeForest& node : nodes) largest = std::max(largest, node.ranks.size());
  plan.shares = std::min(static_cast<int>(largest), max_shares);
  for (const int node : order) {
    const NodeForest& source = nodes[index(node)];
    plan.nodes.push_back({source.ranks, equal_share_trees(source.graph, source.forest, plan.shares)});
  }
  return plan;
}

}  // namespace treering::topology
