#pragma once

#include <cstdint>
#include <vector>

namespace treering::topology {

/// The ranks of a job as plans see them. Nodes are counted from 0 without gaps.
struct JobShape {
  std::vector<int> node_of;  ///< per rank
  std::vector<int> devices;  ///< that each rank drives; empty = one each

  int devices_of(std::size_t rank) const { return devices.empty() ? 1 : devices[rank]; }
  /// The rank of each member of each node, ascending: NodePlan::ranks.
  std::vector<std::vector<int>> members() const;
};

/// One rooted tree over the members of a node. Members are local indices.
struct Tree {
  int root = 0;
  std::vector<int> parent;  ///< per member; -1 for the root
};

/// The members of one node and one tree for each share of the job. A node with fewer members than the job has shares
/// roots several trees at one member.
struct NodePlan {
  std::vector<int> ranks;   ///< rank of each member, ascending; a rank with several devices stands here once for each
  std::vector<Tree> trees;  ///< one per share, along which its result goes down
  std::vector<Tree> reduce_trees;  ///< of the same roots, along which it comes together; empty = along `trees`

  const Tree& reduce_tree(std::size_t share) const { return reduce_trees.empty() ? trees[share] : reduce_trees[share]; }
};

/// What the weights of a plan's shares may sum to.
inline constexpr std::uint64_t most_weight = std::uint64_t{1} << 31;

/// How data moves: inside each node along the trees, between the roots of equal shares along the order of `nodes`.
struct Plan {
  std::vector<NodePlan> nodes;
  int shares = 1;                          ///< parts of the data, equal on all nodes
  std::vector<std::uint32_t> weights;      ///< share j is weights[j] / sum of the data; empty = equal parts
  std::uint64_t chunk_bytes = 256 * 1024;  ///< unit of the pipeline, a multiple of 64
  std::uint64_t slot_bytes = 1024 * 1024;  ///< staging memory per lane and member
};

/// A number for each member of each node, counted over the job by rank, then by device; the rank itself where every
/// rank drives one device.
std::vector<std::vector<int>> member_numbers(const Plan& plan);

/// Stars: every share has its own root, all others are its children. There are as many shares as the largest node has
/// members, capped.
Plan star_plan(const JobShape& job, int max_shares, std::uint64_t chunk_bytes, std::uint64_t slot_bytes);

/// The same for ranks of one device each.
Plan star_plan(const std::vector<int>& node_of, int max_shares, std::uint64_t chunk_bytes, std::uint64_t slot_bytes);

}  // namespace treering::topology
