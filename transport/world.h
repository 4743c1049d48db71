#pragma once

#include <string>
#include <vector>

namespace treering::transport {

/// Who is where. Nodes are numbered without gaps in the order in which ranks first appear; the leader of a node is its
/// lowest rank.
struct World {
  int rank = 0;
  int size = 1;
  std::vector<int> node_of;        ///< per rank
  std::vector<std::string> hosts;  ///< per rank: what to call its machine in messages

  int node() const { return node_of[static_cast<std::size_t>(rank)]; }
  int node_count() const;
  std::vector<int> ranks_of(int node) const;  ///< ascending; the position is the local rank
  int local_rank_of(int rank) const;
  int leader_of(int node) const;
};

}  // namespace treering::transport
