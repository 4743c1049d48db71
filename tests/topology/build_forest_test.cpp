#include <doctest/doctest.h>

#include "build_graphs.h"
#include "build_oracle.h"
#include "topology/build/evaluate.h"
#include "topology/build/forest.h"

using namespace treering::topology;
using namespace treering::topology::test;

namespace {

/// Adds up every member's contribution along the trees and back: each member must end with each exactly once.
void check_sums(const LinkGraph& graph, const Forest& forest) {
  const std::size_t members = static_cast<std::size_t>(graph.members);
  const auto& up = forest.reduce_trees.empty() ? forest.trees : forest.reduce_trees;
  for (const ForestTree& tree : up) {
    std::vector<std::vector<int>> held(members, std::vector<int>(members));
    for (std::size_t member = 0; member < members; ++member)
      for (int at = static_cast<int>(member); at >= 0; at = tree.parent[static_cast<std::size_t>(at)])
        ++held[static_cast<std::size_t>(at)][member];
    CHECK(held[static_cast<std::size_t>(tree.root)] == std::vector<int>(members, 1));
  }
}

void check_everything(const LinkGraph& graph) {
  for (const Builder& builder : builders()) {
    CAPTURE(builder.name);
    const Forest forest = build_forest(builder.name, graph);
    CHECK(forest.builder == builder.name);
    CHECK(find_fault(graph, forest) == "");
    CHECK(forest.rate <= forest.bound.rate);
    CHECK(forest.gap >= Rational(0));
    CHECK(forest.bound.text != "");
    if (forest.reduce_trees.empty()) CHECK(Rational(2) * forest.allreduce_rate >= forest.rate);
    for (const LinkLoad& load : forest.loads) CHECK(load.load * forest.allreduce_rate <= Rational(load.capacity));
    check_sums(graph, forest);
  }
}

Forest optimal_forest(const LinkGraph& graph, const BuildOptions& options = {}) {
  Forest forest = build_forest("forest", graph, options);
  CHECK(find_fault(graph, forest) == "");
  CHECK(forest.operation == Operation::allgather);
  CHECK(forest.rate == forest.bound.rate);
  CHECK(forest.reason == "");
  return forest;
}

}  // namespace

TEST_CASE("builders: registry") {
  std::vector<std::string_view> names;
  for (const Builder& builder : builders()) names.push_back(builder.name);
  CHECK(names == std::vector<std::string_view>{"packed", "binomial", "forest", "star", "chain", "ring"});
  CHECK_THROWS_AS(build_forest("fir", complete(3)), std::invalid_argument);
}

TEST_CASE("builders: all of them on all kinds of graphs") {
  std::mt19937 random(31);
  for (const LinkGraph& graph :
       {dgx1v(), dgx1p(), mi250(), complete(5), complete(2), cycle(8), path({2, 0, 1, 3}), pcie(), switched({1, 1, 1}),
        switched({300, 300, 300, 30, 30}), random_graph(random, 7, 10), random_graph(random, 9, 30),
        random_graph(random, 10, 15), random_graph(random, 11, 60)})
    check_everything(graph);
  for (int trial = 0; trial < 60; ++trial) check_everything(random_graph(random, 2 + trial % 7, random() % 100));
}

TEST_CASE("builders: directed graphs with switches") {
  std::mt19937 random(32);
  for (int trial = 0; trial < 80; ++trial) {
    const int members = 2 + trial % 4, vertices = members + trial % 3;
    LinkGraph graph(members, vertices);
    for (int vertex = 0; vertex < vertices; ++vertex)
      graph.at(vertex, (vertex + 1) % vertices) = some_capacity(random, 3);
    for (int extra = 0; extra < vertices; ++extra) {
      const int from = static_cast<int>(random() % static_cast<unsigned>(vertices));
      const int to = static_cast<int>(random() % static_cast<unsigned>(vertices));
      if (from != to) graph.at(from, to) += some_capacity(random, 3);
    }
    check_everything(graph);
  }
}

TEST_CASE("builders: no member, one, two, not connected, garbage capacities") {
  for (const Builder& builder : builders()) {
    CHECK(build_forest(builder.name, LinkGraph()).trees.empty());
    const Forest one = build_forest(builder.name, LinkGraph(1, 1));
    CHECK(find_fault(LinkGraph(1, 1), one) == "");
    CHECK(one.reason == "one member: nothing moves");

    LinkGraph apart(5, 5);
    join(apart, 0, 1, 2);
    join(apart, 2, 3, 1);
    const Forest split = build_forest(builder.name, apart);
    CHECK(find_fault(apart, split) == "");
    CHECK(split.rate == Rational(0));
    CHECK(split.reason.find("no links join {0,1} {2,3} {4}") == 0);

    LinkGraph odd = complete(3, std::int64_t{1} << 62);
    odd.at(0, 0) = 7;
    odd.at(1, 2) = -3;
    const Forest huge = build_forest(builder.name, odd);
    CHECK(huge.trees.size() > 0);
  }
}

TEST_CASE("builders: same graph, same plan; other labels, same quality") {
  std::mt19937 random(33);
  for (const LinkGraph& graph : {dgx1v(), complete(6), cycle(7), pcie(), switched({3, 3, 2, 2}),
                                 random_graph(random, 8, 30), random_graph(random, 11, 40)})
    for (const Builder& builder : builders()) {
      CAPTURE(builder.name);
      const Forest forest = build_forest(builder.name, graph), again = build_forest(builder.name, graph);
      REQUIRE(again.trees.size() == forest.trees.size());
      for (std::size_t i = 0; i < forest.trees.size(); ++i) {
        CHECK(again.trees[i].parent == forest.trees[i].parent);
        CHECK(again.trees[i].route == forest.trees[i].route);
      }
      for (int trial = 0; trial < 3; ++trial) {
        const Forest other = build_forest(builder.name, shuffled(graph, random));
        CHECK(other.rate == forest.rate);
        CHECK(other.allreduce_rate == forest.allreduce_rate);
        CHECK(other.height == forest.height);
        CHECK(other.trees.size() == forest.trees.size());
        CHECK(other.bound.rate == forest.bound.rate);
      }
    }
}

TEST_CASE("forest: reaches the allgather bound") {
  const Forest dies = optimal_forest(mi250());
  CHECK(dies.rate.value() * mi250().bytes_per_second == doctest::Approx(342.857e9).epsilon(1e-5));
  CHECK(optimal_forest(dgx1v()).rate == Rational::of(48, 7));
  CHECK(optimal_forest(switched(std::vector<std::int64_t>(8, 300))).height == 1);
  CHECK(optimal_forest(pcie()).rate == Rational(16));
  std::mt19937 random(34);
  for (int trial = 0; trial < 60; ++trial) optimal_forest(random_graph(random, 2 + trial % 8, random() % 100));
  for (int trial = 0; trial < 60; ++trial) {  // symmetric, with up to three switches
    LinkGraph graph = random_graph(random, 3 + trial % 6, random() % 60);
    graph.members = std::max(2, graph.members - trial % 4);
    optimal_forest(graph);
  }
}

TEST_CASE("forest: data that is not spread evenly") {
  BuildOptions options;
  options.root_data = {1, 0, 3};
  const Forest forest = optimal_forest(complete(3), options);
  Rational first, last;
  for (const ForestTree& tree : forest.trees) (tree.root == 0 ? first : last) += tree.share;
  CHECK(first == Rational::of(1, 4));
  CHECK(last == Rational::of(3, 4));
}

TEST_CASE("ring: best packing of rings on subsets of DGX-1V") {
  const std::vector<std::pair<std::vector<int>, Rational>> rows{{{0, 1, 2}, Rational::of(3, 2)},
                                                                {{0, 2, 3}, Rational::of(3, 2)},
                                                                {{0, 1, 2, 3}, Rational::of(8, 3)},
                                                                {{0, 1, 4, 5}, Rational::of(4, 3)},
                                                                {{0, 1, 2, 4, 5}, Rational::of(5, 4)},
                                                                {{0, 1, 2, 3, 4, 5}, Rational::of(6, 5)},
                                                                {{0, 1, 2, 4, 5, 6}, Rational::of(12, 5)},
                                                                {{0, 1, 2, 3, 4, 5, 6}, Rational::of(7, 3)},
                                                                {{0, 1, 2, 3, 4, 5, 6, 7}, Rational::of(24, 7)}};
  for (const auto& [members, rate] : rows) CHECK(build_forest("ring", subset(dgx1v(), members)).rate == rate);
  CHECK(build_forest("ring", subset(dgx1v(), {0, 1, 2, 4})).reason.find("no ring") == 0);
  CHECK(build_forest("ring", complete(16)).rate > Rational(6));
}

TEST_CASE("star and chain") {
  const Forest star = build_forest("star", switched(std::vector<std::int64_t>(16, 300)));
  CHECK(star.rate == Rational(160));
  CHECK(star.height == 1);
  CHECK(build_forest("chain", complete(7)).height == 3);
  CHECK(build_forest("chain", subset(dgx1v(), {0, 3, 4})).rate == Rational(2));
  CHECK(build_forest("chain", switched({4, 4, 4})).trees[0].route[0].size() != 2);
}
