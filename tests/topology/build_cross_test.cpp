#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "build_graphs.h"
#include "topology/build/cross.h"
#include "topology/build/forest_plan.h"
#include "topology/build/tree_shape.h"

using namespace treering::topology;
using namespace treering::topology::test;

namespace {

std::vector<int> counted(int nodes) {
  std::vector<int> order(static_cast<std::size_t>(nodes));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace

TEST_CASE("cross: a ring visits one place after the other") {
  CHECK(ring_order({{1, 7}, {0, 3}, {1, 2}, {0, 3}, {1, 7}}) == std::vector<int>{0, 4, 1, 3, 2});
  CHECK(ring_order({}) == std::vector<int>{});
  CHECK(ring_order({{}, {}}) == std::vector<int>{0, 1});
}

TEST_CASE("cross: a ring by distance joins what is near") {
  const std::vector<int> place{0, 30, 10, 20, 40, 5};
  std::vector<std::int64_t> distance;
  for (const int a : place)
    for (const int b : place) distance.push_back(std::min(std::abs(a - b), 50 - std::abs(a - b)));
  const std::vector<int> order = ring_order_by_distance(6, distance);
  std::int64_t length = 0;
  for (std::size_t i = 0; i < 6; ++i)
    length += distance[static_cast<std::size_t>(order[i]) * 6 + static_cast<std::size_t>(order[(i + 1) % 6])];
  CHECK(length == 50);
  CHECK(order[0] == 0);
  CHECK(ring_order_by_distance(1, {0}) == std::vector<int>{0});
  CHECK(ring_order_by_distance(0, {}) == std::vector<int>{});
}

TEST_CASE("cross: in the double tree nobody is inner twice, and heights are logarithmic") {
  for (int nodes = 1; nodes <= 130; ++nodes) {
    const auto trees = double_tree(counted(nodes));
    std::vector<int> inner(static_cast<std::size_t>(nodes));
    for (const Tree& tree : trees) {
      CHECK(tree.parent[static_cast<std::size_t>(tree.root)] == -1);
      const int height = tree_height(tree.parent);
      REQUIRE(height >= 0);
      CHECK((1 << height) <= 2 * nodes);
      std::vector<int> children(static_cast<std::size_t>(nodes));
      for (const int parent : tree.parent)
        if (parent >= 0) ++children[static_cast<std::size_t>(parent)];
      for (std::size_t node = 0; node < children.size(); ++node) {
        CHECK(children[node] <= 2);
        inner[node] += children[node] > 0;
      }
    }
    for (const int count : inner) CHECK(count <= 1);
  }
  const auto reversed_order = double_tree({2, 1, 0});
  CHECK(reversed_order[0].root == 1);
  CHECK(reversed_order[0].parent == std::vector<int>{1, -1, 1});
}

TEST_CASE("cross: rings for few nodes and long messages, trees for many and short ones") {
  const CostConstants constants = default_constants(Fabric::network);
  CHECK(choose_cross(2, 64 << 20, 12.5e9, constants) == CrossAlgorithm::ring);
  CHECK(choose_cross(512, 64 << 10, 12.5e9, constants) == CrossAlgorithm::double_tree);
  CHECK(cross_seconds(CrossAlgorithm::ring, 1, 1000, 1e9, constants) == 0);
  CHECK(cross_seconds(CrossAlgorithm::ring, 4, 4'000'000, 1e9, {}) == doctest::Approx(6e-3));
  CHECK(hierarchical_seconds(3, 2, 10) == doctest::Approx(3.2));
  CHECK(hierarchical_seconds(3, 2, 1) == doctest::Approx(5));
}

TEST_CASE("plans: weights are exact where they fit and near where they do not") {
  const Forest forest = build_forest("packed", dgx1v());
  const WeightedTrees trees = weighted_trees(forest);
  REQUIRE(trees.trees.size() == trees.weights.size());
  const std::uint64_t all = std::accumulate(trees.weights.begin(), trees.weights.end(), std::uint64_t{0});
  std::vector<std::vector<std::uint64_t>> load(8, std::vector<std::uint64_t>(8));
  for (std::size_t i = 0; i < trees.trees.size(); ++i)
    for (const auto& [a, b] : edges_of(trees.trees[i].parent)) {
      load[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] += trees.weights[i];
      load[static_cast<std::size_t>(b)][static_cast<std::size_t>(a)] += trees.weights[i];
    }
  for (int a = 0; a < 8; ++a)
    for (int b = 0; b < 8; ++b)
      CHECK(Rational::of(load[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)], all) * Rational::of(24, 7) <=
            Rational(dgx1v().at(a, b)));

  Forest thirds;
  for (const Rational& share : {Rational::of(1, 3), Rational::of(2, 3) - Rational::of(1, 1000), Rational::of(1, 1000)})
    thirds.trees.push_back({static_cast<int>(thirds.trees.size()), share, {-1, 0}, {}});
  CHECK(weighted_trees(thirds, 3000).weights == std::vector<std::uint64_t>{1000, 1997, 3});
  CHECK(weighted_trees(thirds, 30).weights == std::vector<std::uint64_t>{10, 20, 1});
}

TEST_CASE("plans: equal shares keep links evenly loaded") {
  const Forest binomial = build_forest("binomial", dgx1v());
  const std::vector<Tree> eight = equal_share_trees(dgx1v(), binomial, 8);
  REQUIRE(eight.size() == 8);
  const Forest star = build_forest("star", complete(5));
  std::vector<int> rooted(5);
  for (const Tree& tree : equal_share_trees(complete(5), star, 10)) ++rooted[static_cast<std::size_t>(tree.root)];
  CHECK(rooted == std::vector<int>(5, 2));
  CHECK(equal_share_trees(complete(5), Forest(), 3).empty());

  Forest crossing;  // two trees over the same links, one over others
  for (const std::vector<int>& parent : std::vector<std::vector<int>>{{-1, 0, 1, 2}, {1, -1, 1, 2}, {2, 3, -1, 0}}) {
    const int root = static_cast<int>(std::ranges::find(parent, -1) - parent.begin());
    crossing.trees.push_back({root, Rational::of(1, 3), parent, std::vector<std::vector<int>>(4)});
    for (int member = 0; member < 4; ++member)
      if (member != root)
        crossing.trees.back().route[static_cast<std::size_t>(member)] = {parent[static_cast<std::size_t>(member)],
                                                                         member};
  }
  const std::vector<Tree> two = equal_share_trees(complete(4), crossing, 2);
  CHECK(two[0].root == 0);
  CHECK(two[1].root == 2);

  const std::vector<Tree> packed = equal_share_trees(dgx1v(), build_forest("packed", dgx1v()), 8);
  std::vector<std::vector<int>> load(8, std::vector<int>(8));
  for (const Tree& tree : packed)
    for (const auto& [a, b] : edges_of(tree.parent))
      ++load[static_cast<std::size_t>(std::min(a, b))][static_cast<std::size_t>(std::max(a, b))];
  for (int a = 0; a < 8; ++a)
    for (int b = a + 1; b < 8; ++b)
      CHECK(load[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] <= 4 * dgx1v().at(a, b));
}

namespace {

/// Part of the data that each of a node's trees carries in a plan, in lowest terms with `parts` in all.
std::map<std::vector<int>, Rational> carried(const Plan& plan, std::size_t node) {
  std::map<std::vector<int>, Rational> result;
  Wide all = 0;
  for (const std::uint32_t weight : plan.weights) all += weight;
  for (std::size_t share = 0; share < plan.nodes[node].trees.size(); ++share)
    result[plan.nodes[node].trees[share].parent] +=
        plan.weights.empty() ? Rational::of(1, plan.shares) : Rational::of(plan.weights[share], all);
  return result;
}

std::map<std::vector<int>, Rational> carried(const Forest& forest) {
  std::map<std::vector<int>, Rational> result;
  for (const ForestTree& tree : forest.trees) result[tree.parent] += tree.share;
  return result;
}

}  // namespace

TEST_CASE("plans: on nodes of different size every tree carries its part") {
  std::vector<NodeForest> nodes;
  for (const int members : {3, 1, 2}) nodes.push_back({{}, complete(members), build_forest("star", complete(members))});
  nodes[0].ranks = {0, 1, 4};
  nodes[1].ranks = {2};
  nodes[2].ranks = {3, 5};
  const Plan plan = forest_plan(nodes, {0, 2, 1}, 16, 4096, 65536);
  CHECK(plan.shares == 4);  // thirds and halves: 2, 1, 1, 2 sixths
  CHECK(plan.weights == std::vector<std::uint32_t>{2, 1, 1, 2});
  REQUIRE(plan.nodes.size() == 3);
  CHECK(plan.nodes[1].ranks == std::vector<int>{3, 5});
  for (const NodePlan& node : plan.nodes) {
    REQUIRE(node.trees.size() == 4);
    for (const Tree& tree : node.trees) {
      CHECK(tree.parent.size() == node.ranks.size());
      CHECK(tree_height(tree.parent) >= 0);
      CHECK(tree.parent[static_cast<std::size_t>(tree.root)] == -1);
    }
  }
  CHECK(carried(plan, 0) == carried(nodes[0].forest));
  CHECK(carried(plan, 1) == carried(nodes[2].forest));
  const Plan few = forest_plan(nodes, {0, 1, 2}, 2, 64, 64);
  CHECK(few.shares == 2);
  CHECK(few.weights.empty());
  for (const NodePlan& node : few.nodes) CHECK(node.trees.size() == 2);
}

TEST_CASE("plans: shares are the forest's own where they are not too many, also beside other hardware") {
  const Forest packed = build_forest("packed", dgx1v());
  const NodeForest dgx{{0, 1, 2, 3, 4, 5, 6, 7}, dgx1v(), packed};
  const Plan alone = forest_plan({dgx}, {0}, 16, 4096, 1 << 20);
  CHECK(alone.shares == static_cast<int>(weighted_trees(packed).trees.size()));
  CHECK(carried(alone, 0) == carried(packed));
  const NodeForest pair{{8, 9}, complete(2), build_forest("chain", complete(2))};
  const Plan both = forest_plan({dgx, pair}, {0, 1}, 16, 4096, 1 << 20);
  CHECK(carried(both, 0) == carried(packed));
  CHECK(carried(both, 1) == carried(pair.forest));

  const NodeForest many{{0, 1, 2, 3, 4, 5, 6, 7}, dgx1v(), build_forest("ring", dgx1v())};
  const Plan rounded = forest_plan({many}, {0}, 16, 4096, 1 << 20);
  CHECK(rounded.shares == 8);
  CHECK(rounded.weights.empty());
}

TEST_CASE("plans: on links that differ by direction shares come together along trees of their own") {
  LinkGraph one_way(4, 4);  // a circle that is wide one way
  for (int member = 0; member < 4; ++member) {
    one_way.at(member, (member + 1) % 4) = 4;
    one_way.at((member + 1) % 4, member) = 1;
  }
  const Forest forest = build_forest("forest", one_way);
  REQUIRE_FALSE(forest.reduce_trees.empty());
  const Plan plan = forest_plan({{{0, 1, 2, 3}, one_way, forest}}, {0}, 16, 4096, 1 << 20);
  CHECK(carried(plan, 0) == carried(forest));
  REQUIRE(plan.nodes[0].reduce_trees.size() == plan.nodes[0].trees.size());
  Plan upward = plan;
  upward.nodes[0].trees = plan.nodes[0].reduce_trees;
  Forest up;
  up.trees = forest.reduce_trees;
  CHECK(carried(upward, 0) == carried(up));
  for (std::size_t share = 0; share < plan.nodes[0].trees.size(); ++share)
    CHECK(plan.nodes[0].trees[share].root == plan.nodes[0].reduce_trees[share].root);
}
