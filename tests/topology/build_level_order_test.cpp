#include <doctest/doctest.h>

#include "build_graphs.h"
#include "topology/build/balanced_trees.h"
#include "topology/build/forest.h"
#include "topology/build/level_order.h"
#include "topology/build/tree_shape.h"

using namespace treering::topology;
using namespace treering::topology::test;

namespace {

/// Arrays from the bottom level.
LevelOrder from_leaves(const std::vector<int>& leaves) {
  LevelOrder arrays;
  for (std::size_t stride = leaves.size(); stride > 0; stride /= 2) {
    arrays.scan.push_back(static_cast<int>(arrays.topology.size()));
    for (std::size_t leaf = 0; leaf < leaves.size(); leaf += stride) arrays.topology.push_back(leaves[leaf]);
  }
  arrays.scan.push_back(static_cast<int>(arrays.topology.size()));
  return arrays;
}

}  // namespace

TEST_CASE("level order: arrays known from the original") {
  const LevelOrder arrays = from_leaves({3, 2, 1, 5, 0, 0, 4, 6});
  CHECK(arrays.topology == std::vector<int>{3, 3, 0, 3, 1, 0, 4, 3, 2, 1, 5, 0, 0, 4, 6});
  CHECK(arrays.scan == std::vector<int>{0, 1, 3, 7, 15});
  std::string fault;
  CHECK(from_level_order(arrays, 7, fault) == std::vector<int>{3, 3, 3, -1, 0, 1, 4});
  CHECK(fault == "");

  const LevelOrder other = from_leaves({3, 3, 0, 4, 1, 2, 5, 6});
  const std::vector<int> parent = from_level_order(other, 7, fault);
  CHECK(to_level_order(parent).topology == other.topology);
  CHECK(to_level_order(parent).scan == other.scan);
}

TEST_CASE("level order: every binomial tree survives the round trip") {
  for (const LinkGraph& graph :
       {dgx1v(), dgx1p(), complete(5), complete(11), complete(16), cycle(8), path({2, 0, 1, 3})})
    for (const ForestTree& tree : build_forest("binomial", graph).trees) {
      std::string fault;
      const LevelOrder arrays = to_level_order(tree.parent);
      CHECK(from_level_order(arrays, graph.members, fault) == tree.parent);
      CHECK(fault == "");
      CHECK(arrays.topology.size() == (std::size_t{2} << rounds_needed(tree.parent)) - 1);
      CHECK(arrays.scan.size() == static_cast<std::size_t>(rounds_needed(tree.parent)) + 2);
    }
}

TEST_CASE("level order: arrays that are no tree") {
  std::string fault;
  const auto why = [&](const std::vector<int>& leaves, int members) {
    CHECK(from_level_order(from_leaves(leaves), members, fault).empty());
    return fault;
  };
  CHECK(why({3, 7, 2, 6, 0, 1, 4, 5}, 7) == "member 7 does not exist");
  CHECK(why({0, 1, 2, 1}, 3) == "member 1 has two parents");
  CHECK(why({0, 1, 0, 0}, 3) == "member 2 is missing");
  CHECK(why({0, 1, -1, 2}, 3) == "member -1 does not exist");
  LevelOrder broken = from_leaves({0, 1, 2, 3});
  broken.topology[1] = 2;
  CHECK(from_level_order(broken, 4, fault).empty());
  CHECK(fault == "a left child is not its parent");
  broken.topology.pop_back();
  CHECK(from_level_order(broken, 4, fault).empty());
}

TEST_CASE("rounds: children are served longest first") {
  CHECK(rounds_needed({-1}) == 0);
  CHECK(rounds_needed({-1, 0, 1, 2}) == 3);
  CHECK(rounds_needed({-1, 0, 0, 0}) == 3);
  CHECK(rounds_needed({-1, 0, 0, 1}) == 2);
  CHECK(rounds_needed({-1, 0, 0, 0, 1, 1, 2, 4}) == 3);
  CHECK(children_by_urgency({-1, 0, 0, 2})[0] == std::vector<int>{2, 1});
  CHECK(tree_height({-1, 2, 1}) == -1);
  CHECK(tree_height({-1, -1}) == -1);
  CHECK(tree_height({-1, 0, 1}) == 2);
}
