#pragma once

#include <cstdint>
#include <vector>

#include "topology/build/forest.h"
#include "topology/plan.h"

namespace treering::topology {

/// Trees with whole-number weights: tree i carries weights[i] / sum(weights) of the data.
struct WeightedTrees {
  std::vector<Tree> trees;
  std::vector<std::uint64_t> weights;
};

/// The forest's trees and shares; those over the same edges from the same root become one. Exact if a common
/// denominator of at most `most_parts` exists, else the nearest multiples of 1/most_parts (every tree keeps at least
/// one part).
WeightedTrees weighted_trees(const Forest& forest, std::uint64_t most_parts = 65536);

/// As many trees as the job has shares, each for an equal part: trees of the forest, heavy ones several times, chosen
/// one after the other so that the fullest link stays least full, and among equals so that roots are spread.
std::vector<Tree> equal_share_trees(const LinkGraph& graph, const Forest& forest, int shares);

struct NodeForest {
  std::vector<int> ranks;  ///< rank of each member, ascending
  LinkGraph graph;
  Forest forest;
};

/// A plan for a job from one forest per node. Shares belong to the job: they are cut wherever any node goes from one
/// tree to the next, so every tree, also of reduce_trees, carries exactly its part, and one tree may carry several
/// shares. A forest of more than `max_shares` trees is approximated by equal shares, as many as its node has members;
/// all forests are, as many as the largest node has members, if together they cut too often. `order` lists the nodes as
/// the ring visits them.
Plan forest_plan(const std::vector<NodeForest>& nodes, const std::vector<int>& order, int max_shares,
                 std::uint64_t chunk_bytes, std::uint64_t slot_bytes);

}  // namespace treering::topology
