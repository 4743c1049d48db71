#pragma once

#include <string>
#include <vector>

namespace treering::topology {

/// A balanced tree as the level-order arrays of the MXNet tree store, for comparison with it: a complete binary tree of
/// `rounds` levels in which a member is its own left child and the member it serves in that round its right one (or
/// itself again). `scan` holds the start of each level, and the end.
struct LevelOrder {
  std::vector<int> topology;  ///< 2^(rounds+1) - 1 members
  std::vector<int> scan;      ///< rounds + 2 offsets
};

/// `rounds` is ceil(log2 members), or more where the tree needs more (rounds_needed).
LevelOrder to_level_order(const std::vector<int>& parent);

/// Parents of the tree that the arrays describe. Returns why not in `fault` (and no parents) if the arrays do not
/// describe a tree over `members` members.
std::vector<int> from_level_order(const LevelOrder& arrays, int members, std::string& fault);

}  // namespace treering::topology
