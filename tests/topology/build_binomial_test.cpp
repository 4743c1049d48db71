#include <doctest/doctest.h>

#include <bit>

#include "build_graphs.h"
#include "build_oracle.h"
#include "topology/build/balanced_trees.h"
#include "topology/build/evaluate.h"
#include "topology/build/forest.h"

using namespace treering::topology;
using namespace treering::topology::test;

namespace {

Forest sound(const LinkGraph& graph, const BuildOptions& options = {}) {
  Forest forest = build_forest("binomial", graph, options);
  CHECK(find_fault(graph, forest) == "");
  const std::size_t trees = options.roots.empty() ? static_cast<std::size_t>(graph.members) : options.roots.size();
  REQUIRE(forest.trees.size() == trees);
  for (const ForestTree& tree : forest.trees) CHECK(tree.share == Rational::of(1, static_cast<Wide>(trees)));
  return forest;
}

std::int64_t weight(const LinkGraph& graph, const std::vector<int>& parent) {
  std::int64_t sum = 0;
  for (std::size_t member = 0; member < parent.size(); ++member)
    if (parent[member] >= 0) sum += graph.at(parent[member], static_cast<int>(member));
  return sum;
}

bool exists(const LinkGraph& graph, const std::vector<int>& parent) {
  for (std::size_t member = 0; member < parent.size(); ++member)
    if (parent[member] >= 0 && graph.at(parent[member], static_cast<int>(member)) == 0) return false;
  return true;
}

int fewest_rounds(int members) { return static_cast<int>(std::bit_width(static_cast<unsigned>(members - 1))); }

}  // namespace

TEST_CASE("binomial: DGX-1V, one tree per root, at most 2.5 trees on any link") {
  for (const LinkGraph& graph : {dgx1v(), dgx1v_other_labels()}) {
    const Forest forest = sound(graph);
    CHECK(forest.worst_load <= Rational::of(5, 2));
    CHECK(forest.rate >= Rational::of(16, 5));
    CHECK(forest.reason == "");
    for (int root = 0; root < 8; ++root) {
      CHECK(forest.trees[static_cast<std::size_t>(root)].root == root);
      CHECK(rounds_needed(forest.trees[static_cast<std::size_t>(root)].parent) == 3);
    }
  }
}

TEST_CASE("binomial: the heaviest tree of DGX-1V has six double links and one single from every root") {
  LinkGraph classes = dgx1v();  // classes of the original: 1 for PCIe is no link here, 2 single, 3 double
  for (std::int64_t& capacity : classes.capacity) capacity = capacity > 0 ? capacity + 1 : 0;
  BuildOptions options;
  options.binomial = BuildOptions::Binomial::heaviest;
  for (const ForestTree& tree : sound(classes, options).trees) CHECK(weight(classes, tree.parent) == 20);
  CHECK(sound(dgx1v(), options).worst_load >= sound(dgx1v()).worst_load);
}

TEST_CASE("binomial: heaviest equals trying every tree") {
  std::mt19937 random(21);
  for (int trial = 0; trial < 60; ++trial) {
    const int members = 2 + trial % 5;
    const LinkGraph graph = random_graph(random, members, 20 + random() % 80, 5);
    const PairGraph pairs = direct_pairs(graph);
    BalancedTrees trees(pairs, fewest_rounds(members));
    std::vector<std::int64_t> values;
    for (const Pair& pair : pairs.pairs()) values.push_back(static_cast<std::int64_t>(pair.capacity));
    trees.weigh(values);
    for (int root = 0; root < members; ++root) {
      std::int64_t best = -1;
      for_every_tree(members, root, [&](const std::vector<int>& parent) {
        if (exists(graph, parent) && rounds_needed(parent) <= fewest_rounds(members))
          best = std::max(best, weight(graph, parent));
      });
      const auto found = trees.best(root);
      REQUIRE(found.has_value() == (best >= 0));
      if (!found) continue;
      CHECK(weight(graph, *found) == best);
      CHECK(exists(graph, *found));
      CHECK(rounds_needed(*found) <= fewest_rounds(members));
    }
  }
}

TEST_CASE("binomial: every size works on complete graphs, powers of two or not") {
  for (int members = 2; members <= 16; ++members) {
    const Forest forest = sound(complete(members, 2));
    CHECK(forest.reason == "");
    for (const ForestTree& tree : forest.trees) CHECK(rounds_needed(tree.parent) == fewest_rounds(members));
  }
}

TEST_CASE("binomial: what broke the original gives a plan and a reason") {
  const Forest ring =
      sound(graph_of({"02200000", "20020000", "20000020", "02000002", "00000220", "00002002", "00202000", "00020200"}));
  CHECK(ring.reason.find("root 0,1,2,3,4,5,6,7: no balanced tree of 3 rounds, because the root has only 2 links") == 0);
  const Forest line = sound(path({2, 0, 1, 3}));
  CHECK(line.reason == "root 2,3: no balanced tree of 2 rounds, because the root has only 1 link; takes 3");
  sound(cycle(16));
  sound(path({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  sound(mi250());
  for (const int members : {5, 7, 9, 10, 11}) {
    std::mt19937 random(static_cast<unsigned>(members));
    for (const unsigned density : {10u, 30u, 50u, 70u}) sound(random_graph(random, members, density));
  }
}

TEST_CASE("binomial: more members than tables can hold") {
  const Forest forest = sound(complete(20));
  CHECK(forest.reason.find("more than 16 members") != std::string::npos);
}

TEST_CASE("binomial: chosen roots, and the penalty of the original spreads the load") {
  BuildOptions options;
  options.roots = {6, 1};
  const Forest two = sound(dgx1v(), options);
  CHECK(two.trees[0].root == 1);
  CHECK(two.trees[1].root == 6);
  options = {};
  options.binomial = BuildOptions::Binomial::penalised;
  const Forest penalised = sound(dgx1v(), options);
  CHECK(penalised.worst_load <= Rational(5));
  options.binomial = BuildOptions::Binomial::heaviest;
  CHECK(penalised.worst_load < sound(dgx1v(), options).worst_load);
  options.roots = {8};
  CHECK_THROWS_AS(build_forest("binomial", dgx1v(), options), std::invalid_argument);
}
