#pragma once

#include <cstdint>
#include <vector>

namespace treering::topology {

/// One rooted tree over the members of a node. Members are local indices.
struct Tree {
  int root = 0;
  std::vector<int> parent;  ///< per member; -1 for the root
};

/// The members of one node and one tree for each share of the job. A node with fewer members than the job has shares
/// roots several trees at one member.
struct NodePlan {
  std::vector<int> ranks;   ///< rank of each member, ascending
  std::vector<Tree> trees;  ///< one per share
};

/// How data moves: inside each node along the trees, between the roots of equal shares along the order of `nodes`.
struct Plan {
  std::vector<NodePlan> nodes;
  int shares = 1;                          ///< largest local size, capped; equal on all nodes
  std::uint64_t chunk_bytes = 256 * 1024;  ///< unit of the pipeline, a multiple of 64
  std::uint64_t slot_bytes = 1024 * 1024;  ///< staging memory per lane and member
};

/// Stars: every share has its own root, all others are its children. `node_of[rank]` counts nodes from 0 without gaps.
Plan star_plan(const std::vector<int>& node_of, int max_shares, std::uint64_t chunk_bytes, std::uint64_t slot_bytes);

}  // namespace treering::topology
