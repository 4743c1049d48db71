#include "topology/build/forest_plan.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
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

/// One node's trees side by side: tree i carries what lies between ends[i - 1] and ends[i], of ends.back().
struct Division {
  std::vector<Tree> trees;
  std::vector<Tree> reduce_trees;  // or none
  std::vector<std::uint64_t> ends;
};

Division equal_division(std::vector<Tree> trees) {
  Division division{std::move(trees), {}, {}};
  for (std::size_t i = 0; i < division.trees.size(); ++i) division.ends.push_back(i + 1);
  return division;
}

/// Every place where any node goes from one tree to the next, in parts that all divide into; the last is the end. Empty
/// if there is no such number of parts.
std::set<std::uint64_t> common_cuts(const std::vector<Division>& divisions) {
  std::uint64_t parts = 1;
  for (const Division& division : divisions) {
    if (division.ends.empty()) return {};
    parts = std::lcm(parts, division.ends.back());
    if (parts > most_weight) return {};
  }
  std::set<std::uint64_t> cuts;
  for (const Division& division : divisions)
    for (const std::uint64_t end : division.ends) cuts.insert(parts / division.ends.back() * end);
  return cuts;
}

/// In lowest terms; none if all are equal.
std::vector<std::uint32_t> weights_between(const std::set<std::uint64_t>& cuts) {
  std::vector<std::uint64_t> weights;
  std::uint64_t before = 0, common = 0;
  for (const std::uint64_t cut : cuts) {
    weights.push_back(cut - before);
    common = std::gcd(common, cut - before);
    before = cut;
  }
  std::vector<std::uint32_t> result;
  for (const std::uint64_t weight : weights) result.push_back(static_cast<std::uint32_t>(weight / common));
  if (std::ranges::all_of(result, [](std::uint32_t weight) { return weight == 1; })) result.clear();
  return result;
}

/// The tree that each part between two cuts falls into.
std::vector<Tree> trees_between(const std::vector<Tree>& from, const std::vector<std::uint64_t>& ends,
                                const std::set<std::uint64_t>& cuts) {
  const std::uint64_t scale = *cuts.rbegin() / ends.back();
  std::vector<Tree> trees;
  for (const std::uint64_t cut : cuts) {
    const auto tree = std::ranges::lower_bound(ends, (cut + scale - 1) / scale);
    trees.push_back(from[static_cast<std::size_t>(tree - ends.begin())]);
  }
  return trees;
}

Division by_weight(WeightedTrees weighted) {
  Division division{std::move(weighted.trees), {}, {}};
  std::uint64_t end = 0;
  for (const std::uint64_t weight : weighted.weights) division.ends.push_back(end += weight);
  return division;
}

/// Both lists are in the order of roots, and every root has the same part in both.
Division with_reduce_trees(Division down, const Division& up) {
  const std::set<std::uint64_t> cuts = common_cuts({down, up});
  if (cuts.empty()) return down;
  Division both{
      trees_between(down.trees, down.ends, cuts), trees_between(up.trees, up.ends, cuts), {cuts.begin(), cuts.end()}};
  return std::ranges::equal(both.trees, both.reduce_trees, {}, &Tree::root, &Tree::root) ? both : down;
}

/// The forest's own shares if there are not too many.
Division division_of(const NodeForest& node, int max_shares) {
  Division division = by_weight(weighted_trees(node.forest));
  if (!node.forest.reduce_trees.empty()) {
    Forest upward;
    upward.trees = node.forest.reduce_trees;
    Division both = with_reduce_trees(division, by_weight(weighted_trees(upward)));
    if (both.trees.size() <= index(max_shares)) division = std::move(both);
  }
  if (division.trees.size() <= index(max_shares)) return division;
  const int shares = std::min(static_cast<int>(node.ranks.size()), max_shares);
  return equal_division(equal_share_trees(node.graph, node.forest, shares));
}

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
  const int equal_shares = std::min(static_cast<int>(largest), max_shares);
  std::vector<Division> divisions;
  for (const NodeForest& node : nodes) divisions.push_back(division_of(node, max_shares));
  std::set<std::uint64_t> cuts = common_cuts(divisions);
  if (cuts.size() > index(max_shares) || cuts.empty()) {  // too fine: equal shares, with the trees that suit them best
    for (std::size_t i = 0; i < nodes.size(); ++i)
      divisions[i] = equal_division(equal_share_trees(nodes[i].graph, nodes[i].forest, equal_shares));
    cuts = common_cuts(divisions);
  }
  plan.shares = static_cast<int>(cuts.size());
  plan.weights = weights_between(cuts);
  for (const int node : order) {
    const Division& division = divisions[index(node)];
    NodePlan& added = plan.nodes.emplace_back();
    added.ranks = nodes[index(node)].ranks;
    added.trees = trees_between(division.trees, division.ends, cuts);
    if (!division.reduce_trees.empty()) added.reduce_trees = trees_between(division.reduce_trees, division.ends, cuts);
  }
  return plan;
}

}  // namespace treering::topology
