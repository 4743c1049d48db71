#include <doctest/doctest.h>

#include <ctime>

#include "build_graphs.h"
#include "build_oracle.h"
#include "topology/build/evaluate.h"
#include "topology/build/forest.h"
#include "topology/build/tree_packing.h"

using namespace treering::topology;
using namespace treering::topology::test;

namespace {

/// Plans, checks structure, and insists on the exact optimum.
Forest optimal(const LinkGraph& graph, const BuildOptions& options = {}) {
  Forest forest = build_forest("packed", graph, options);
  CHECK(find_fault(graph, forest) == "");
  CHECK(forest.rate == forest.bound.rate);
  CHECK(forest.gap == Rational(0));
  return forest;
}

}  // namespace

TEST_CASE("packed: DGX-1V reaches 24/7 with trees of height 2") {
  const Forest forest = optimal(dgx1v());
  CHECK(forest.rate == Rational::of(24, 7));
  CHECK(forest.height == 2);
  CHECK(forest.trees.size() <= 16);
  CHECK(forest.reason == "");
  const Forest other = optimal(dgx1v_other_labels());
  CHECK(other.height == 2);
  CHECK(other.trees.size() == forest.trees.size());
}

TEST_CASE("packed: complete graphs are stars, cycles and DGX-1P have their optima") {
  const Forest stars = optimal(complete(8));
  CHECK(stars.rate == Rational(4));
  CHECK(stars.height == 1);
  CHECK(optimal(cycle(8)).rate == Rational::of(8, 7));
  CHECK(optimal(cycle(8)).height == 4);
  CHECK(optimal(dgx1p()).rate == Rational::of(16, 7));
  CHECK(optimal(mi250()).rate == Rational::of(24, 7));
  CHECK(optimal(path({2, 0, 1, 3})).trees.size() == 1);
}

TEST_CASE("packed: every connected subset of DGX-1V and DGX-1P") {
  for (const LinkGraph& machine : {dgx1v(), dgx1p()})
    for (const std::vector<int>& members : connected_subsets(machine)) {
      const LinkGraph graph = subset(machine, members);
      CHECK(optimal(graph).rate == partition_oracle(graph));
    }
}

TEST_CASE("packed: oracle rows") {
  const std::vector<std::pair<std::vector<int>, Rational>> rows{
      {{0, 1, 2}, 2},
      {{0, 2, 3}, Rational::of(5, 2)},
      {{0, 3, 4}, 2},
      {{0, 1, 2, 3}, 3},
      {{0, 1, 2, 4}, 2},
      {{0, 1, 4, 5}, 2},
      {{0, 2, 4, 6}, Rational::of(3, 2)},
      {{0, 3, 4, 7}, Rational::of(7, 3)},
      {{0, 1, 2, 4, 5}, Rational::of(9, 4)},
      {{0, 2, 3, 4, 7}, Rational::of(5, 2)},
      {{0, 1, 2, 3, 4, 5}, Rational::of(5, 2)},
      {{0, 1, 2, 3, 4, 7}, Rational::of(5, 2)},
      {{0, 1, 2, 4, 5, 6}, Rational::of(13, 5)},
      {{0, 2, 3, 4, 6, 7}, Rational::of(14, 5)},
      {{0, 1, 2, 3, 4, 5, 6}, 3},
      {{0, 1, 2, 3, 4, 6, 7}, 3},
  };
  for (const auto& [members, rate] : rows) CHECK(optimal(subset(dgx1v(), members)).rate == rate);
}

TEST_CASE("packed: exact on random graphs, sparse ones too") {
  std::mt19937 random(11);
  for (int trial = 0; trial < 250; ++trial) {
    const LinkGraph graph = random_graph(random, 2 + trial % 6, 5 + random() % 90, 4);
    CHECK(optimal(graph).rate == partition_oracle(graph));
  }
  for (const int members : {9, 11, 13, 16}) optimal(random_graph(random, members, 30));
}

TEST_CASE("packed: both ways of packing agree, also at byte capacities") {
  std::mt19937 random(12);
  for (int trial = 0; trial < 60; ++trial) {
    LinkGraph graph = random_graph(random, 3 + trial % 8, 50, 1'000'000);
    for (std::int64_t& capacity : graph.capacity) capacity *= 997'001;
    const Rational optimum = allreduce_bound(graph).rate;
    const TreePacking packing = pack_trees_by_flow(direct_pairs(graph), optimum);
    CHECK(packing.value == optimum);
    std::vector<Rational> used(direct_pairs(graph).pairs().size());
    for (const WeightedTree& tree : packing.trees)
      for (const int pair : tree.pairs) used[static_cast<std::size_t>(pair)] += tree.weight;
    for (std::size_t pair = 0; pair < used.size(); ++pair)
      CHECK(used[pair] <= Rational::of(direct_pairs(graph).pairs()[pair].capacity, 1));
    if (trial % 10 == 0) optimal(graph);
  }
}

TEST_CASE("packed: exact through switches, also with unequal ports") {
  CHECK(optimal(switched(std::vector<std::int64_t>(16, 300))).height == 1);
  CHECK(optimal(switched({300, 300, 300, 30, 30})).rate == Rational(30));
  CHECK(optimal(switched({4, 3, 2, 2})).rate == Rational::of(11, 6));
  CHECK(optimal(pcie()).rate == Rational(8));
  std::mt19937 random(13);
  for (int trial = 0; trial < 100; ++trial) {
    LinkGraph graph = random_graph(random, 3 + trial % 7, random() % 70);
    graph.members = std::max(2, graph.members - 1 - trial % 3);
    optimal(graph);
  }
}

TEST_CASE("packed: sixteen devices take well under a second") {
  std::mt19937 random(14);
  for (const LinkGraph& graph : {mi250(), complete(16), random_graph(random, 16, 50)})
    for (const Builder& builder : builders()) {
      CAPTURE(builder.name);
      const std::clock_t start = std::clock();
      build_forest(builder.name, graph);
      // Processor time, and ten times the aim: sanitizers and busy machines are slow.
      CHECK(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC < 10);
    }
}

TEST_CASE("packed: fewer trees where less suffices, limited height, preferred roots") {
  BuildOptions options;
  options.accept = Rational::of(85, 100);
  const Forest fewer = build_forest("packed", dgx1v(), options);
  CHECK(find_fault(dgx1v(), fewer) == "");
  CHECK(fewer.rate >= Rational::of(24, 7) * options.accept);
  CHECK(fewer.trees.size() < optimal(dgx1v()).trees.size());

  options = {};
  options.max_height = 3;
  const Forest low = build_forest("packed", cycle(8), options);
  CHECK(low.reason.find("no tree of height 3") != std::string::npos);
  CHECK(find_fault(cycle(8), low) == "");

  options = {};
  options.preferred_roots = {1, 6};
  const Forest near = optimal(complete(8), options);
  CHECK(near.height == 1);
}
