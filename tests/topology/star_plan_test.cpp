#include <doctest/doctest.h>

#include "topology/plan.h"

using namespace treering::topology;

TEST_CASE("star_plan: uneven nodes share the job's number of shares") {
  const Plan plan = star_plan({0, 1, 0, 0, 1}, 16, 4096, 65536);
  REQUIRE(plan.nodes.size() == 2);
  CHECK(plan.shares == 3);
  CHECK(plan.nodes[0].ranks == std::vector<int>{0, 2, 3});
  CHECK(plan.nodes[1].ranks == std::vector<int>{1, 4});
  REQUIRE(plan.nodes[1].trees.size() == 3);
  CHECK(plan.nodes[1].trees[2].root == 0);
  CHECK(plan.nodes[1].trees[2].parent == std::vector<int>{-1, 0});
}

TEST_CASE("star_plan: shares are capped") { CHECK(star_plan(std::vector<int>(20, 0), 16, 64, 4096).shares == 16); }
