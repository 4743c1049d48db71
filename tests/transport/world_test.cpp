#include "transport/world.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "transport/segment.h"
#include "treering/status.h"

using namespace treering;
using namespace treering::transport;

TEST_CASE("nodes are numbered by first appearance, local ranks by rank") {
  const World world = make_world(3, {7, 2, 7, 9, 2, 7}, std::vector<std::string>(6));
  CHECK(world.node_of == std::vector{0, 1, 0, 2, 1, 0});
  CHECK(world.size == 6);
  CHECK(world.node() == 2);
  CHECK(world.node_count() == 3);
  CHECK(world.ranks_of(0) == std::vector{0, 2, 5});
  CHECK(world.ranks_of(2) == std::vector{3});
  CHECK(world.local_rank_of(5) == 2);
  CHECK(world.local_rank_of(4) == 1);
  CHECK(world.local_rank_of(3) == 0);
  CHECK(world.leader_of(1) == 1);
  CHECK(world.leader_of(2) == 3);
}

TEST_CASE("a node map of the wrong length or with negative numbers is refused with the numbers") {
  CHECK_NOTHROW(check_node_map({5, 5, 0}, 3));
  CHECK_THROWS_WITH_AS(check_node_map({0, 1}, 3), doctest::Contains("for 2 ranks, but the job has 3"), Error);
  CHECK_THROWS_WITH_AS(check_node_map({0, -3, 1}, 3), doctest::Contains("rank 1 the node -3"), Error);
}

TEST_CASE("neighbours must be other ranks and know each other") {
  CHECK_NOTHROW(check_neighbours({{1, 2}, {0}, {0}}));
  CHECK_THROWS_WITH_AS(check_neighbours({{1}, {}}), doctest::Contains("does not name it in return"), Error);
  CHECK_THROWS_WITH_AS(check_neighbours({{0}}), doctest::Contains("is itself"), Error);
  CHECK_THROWS_WITH_AS(check_neighbours({{2}, {}}), doctest::Contains("is not a rank of the job"), Error);
  CHECK_THROWS_WITH_AS(check_neighbours({{1, 1}, {0}}), doctest::Contains("it names twice"), Error);
}

TEST_CASE("edges inside a node are in local ranks") {
  const World world = make_world(0, {0, 1, 0, 1}, std::vector<std::string>(4));
  const Adjacency neighbours{{2, 1}, {0, 3}, {0}, {1}};
  using Edges = std::vector<std::pair<int, int>>;
  CHECK(edges_inside(world, neighbours, 0) == Edges{{0, 1}, {1, 0}});
  CHECK(edges_inside(world, neighbours, 1) == Edges{{0, 1}, {1, 0}});
}

TEST_CASE("nothing overlaps in a segment") {
  const SegmentLayout layout(3, 5'000, {{0, 1}, {0, 2}, {1, 0}, {2, 0}});
  std::vector<std::pair<std::size_t, std::size_t>> parts;  // begin, bytes
  for (int member = 0; member < 3; ++member) {
    parts.emplace_back(layout.block(member), sizeof(MemberBlock));
    parts.emplace_back(layout.area(member), 5'000);
    CHECK(layout.area(member) % 4096 == 0);
    CHECK(layout.block(member) % 64 == 0);
  }
  for (const auto& [from, to] : {std::pair(0, 1), std::pair(0, 2), std::pair(1, 0), std::pair(2, 0)}) {
    parts.emplace_back(layout.ring(from, to), std::size_t{32} * 1024);
    CHECK(layout.ring(from, to) % 64 == 0);
  }
  std::sort(parts.begin(), parts.end());
  for (std::size_t index = 0; index + 1 < parts.size(); ++index)
    CHECK(parts[index].first + parts[index].second <= parts[index + 1].first);
  CHECK(parts.back().first + parts.back().second <= layout.bytes());
}
