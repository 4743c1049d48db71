#include <doctest/doctest.h>

#include "build_graphs.h"
#include "build_oracle.h"
#include "topology/build/bounds.h"

using namespace treering::topology;
using namespace treering::topology::test;

TEST_CASE("bounds: published machines") {
  CHECK(allreduce_bound(dgx1v()).rate == Rational::of(24, 7));
  CHECK(allreduce_bound(dgx1p()).rate == Rational::of(16, 7));
  CHECK(allreduce_bound(complete(8)).rate == Rational(4));
  CHECK(allreduce_bound(cycle(8)).rate == Rational::of(8, 7));
  CHECK(allgather_bound(dgx1v()).rate == Rational::of(8 * 6, 7));
  CHECK(allgather_bound(dgx1p()).rate == Rational::of(8 * 4, 7));
  CHECK(allgather_bound(cycle(8)).rate == Rational::of(8 * 2, 7));
  for (int root = 0; root < 8; ++root) CHECK(broadcast_bound(dgx1v(), root).rate == Rational(6));
  CHECK(broadcast_bound(complete(8), 3).rate == Rational(7));
}

TEST_CASE("bounds: MI250 is limited by the links between its eight packages") {
  const Bound bound = allreduce_bound(mi250());
  CHECK(bound.rate == Rational::of(24, 7));
  CHECK(bound.crossing == Rational(24));
  REQUIRE(bound.parts.size() == 8);
  for (int part = 0; part < 8; ++part)
    CHECK(bound.parts[static_cast<std::size_t>(part)] == std::vector<int>{2 * part, 2 * part + 1});
  CHECK(bound.text.find("24 x 50 GB/s") != std::string::npos);
  CHECK(allgather_bound(mi250()).rate == Rational::of(16 * 3, 7));
  CHECK(broadcast_bound(mi250(), 5).rate == Rational(6));
}

TEST_CASE("bounds: equal to trying every partition on random sparse and dense graphs") {
  std::mt19937 random(3);
  for (int trial = 0; trial < 1500; ++trial) {
    const LinkGraph graph = random_graph(random, 2 + trial % 6, 10 + random() % 90);
    const Bound bound = allreduce_bound(graph);
    CHECK(bound.rate == partition_oracle(graph));
    Rational crossing;
    for (std::size_t a = 0; a < bound.parts.size(); ++a)
      for (std::size_t b = a + 1; b < bound.parts.size(); ++b)
        for (const int from : bound.parts[a])
          for (const int to : bound.parts[b]) crossing += graph.at(from, to);
    CHECK(crossing / Rational(static_cast<std::int64_t>(bound.parts.size()) - 1) == bound.rate);
  }
}

TEST_CASE("bounds: allgather equal to trying every set, also directed and with switches") {
  std::mt19937 random(4);
  for (int trial = 0; trial < 300; ++trial) {
    const int members = 2 + trial % 5, vertices = members + trial % 4;
    LinkGraph graph(members, vertices);
    for (int from = 0; from < vertices; ++from)
      for (int to = 0; to < vertices; ++to)
        if (from != to && random() % 100 < 60) graph.at(from, to) = some_capacity(random, 4);
    CHECK(allgather_bound(graph).rate == cut_oracle(graph));
  }
}

TEST_CASE("bounds: a switch without arithmetic limits by its ports") {
  CHECK(allreduce_bound(switched(std::vector<std::int64_t>(16, 300))).rate == Rational(160));
  CHECK(allgather_bound(switched(std::vector<std::int64_t>(16, 300))).rate == Rational(320));
  CHECK(allreduce_bound(switched({300, 300, 300, 30})).rate == Rational(30));
  CHECK(allreduce_bound(pcie()).rate == Rational(8));
}

TEST_CASE("bounds: no link, one-way links, weights") {
  LinkGraph apart(3, 3);
  join(apart, 0, 1, 2);
  CHECK(allreduce_bound(apart).rate == Rational(0));
  CHECK(allgather_bound(apart).rate == Rational(0));
  LinkGraph one_way(3, 3);
  for (int from = 0; from < 3; ++from) one_way.at(from, (from + 1) % 3) = 4;
  CHECK(allreduce_bound(one_way).rate == Rational(3));
  CHECK(broadcast_bound(one_way, 0).rate == Rational(4));
  CHECK(allgather_bound(complete(2), {1, 3}).rate == Rational::of(4, 3));
  LinkGraph narrow(3, 4);  // a switch that takes more than it gives
  for (int member = 0; member < 3; ++member) {
    narrow.at(member, 3) = 10;
    narrow.at(3, member) = 3;
  }
  CHECK(allreduce_bound(narrow).rate == Rational::of(9, 4));
  CHECK(allreduce_bound(reversed(narrow)).rate == Rational::of(9, 4));
}

TEST_CASE("bounds: more capacity never lowers them, scaling scales them") {
  std::mt19937 random(5);
  for (int trial = 0; trial < 60; ++trial) {
    LinkGraph graph = random_graph(random, 5 + trial % 4, 40);
    const Rational before = allreduce_bound(graph).rate;
    LinkGraph scaled = graph;
    for (std::int64_t& capacity : scaled.capacity) capacity *= 1'000'000'007;
    CHECK(allreduce_bound(scaled).rate == before * Rational(1'000'000'007));
    join(graph, 0, 1 + static_cast<int>(random() % 4), 5);
    CHECK(allreduce_bound(graph).rate >= before);
  }
}

TEST_CASE("bounds: rounds and nodes") {
  CHECK(least_rounds(dgx1v()) == 3);
  CHECK(least_rounds(path({0, 1, 2, 3, 4, 5, 6, 7, 8})) == 4);
  CHECK(least_rounds(cycle(12)) == 6);
  CHECK(least_rounds(switched({1, 1, 1})) == 2);
  CHECK(hierarchical_bound({100, 80}, {25, 25}).rate == Rational(25));
  CHECK(hierarchical_bound({100, 80, 80}, {25, 25, 20}).rate == Rational::of(70, 4));
  CHECK(hierarchical_bound({10, 80}, {25, 25}).parts == std::vector<std::vector<int>>{{0}});
  CHECK(hierarchical_bound({10}, {25}).rate == Rational(10));
}
