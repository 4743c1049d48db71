#pragma once

#include <string>
#include <utility>
#include <vector>

namespace treering::transport {

/// Who is where. Nodes are numbered without gaps in the order in which ranks first appear; the leader of a node is its
/// lowest rank.
struct World {
  int rank = 0;
  int size = 1;
  std::vector<int> node_of;        ///< per rank
  std::vector<std::string> hosts;  ///< per rank: what to call its machine in messages
  std::vector<int> devices;        ///< per rank: how many it drives, each a member of the job; empty = one each

  int node() const { return node_of[static_cast<std::size_t>(rank)]; }
  int node_count() const;
  std::vector<int> ranks_of(int node) const;  ///< ascending; the position is the local rank
  int local_rank_of(int rank) const;
  int leader_of(int node) const;
  int devices_of(int other) const { return devices.empty() ? 1 : devices[static_cast<std::size_t>(other)]; }
  int member_count() const;
};

/// A world from any labels that are equal for ranks of one node and different for ranks of different nodes.
World make_world(int rank, const std::vector<int>& labels, std::vector<std::string> hosts);

/// Throws Error unless there is one entry, not negative, for each of `size` ranks.
void check_node_map(const std::vector<int>& node_map, int size);

/// Neighbours of every rank, by rank.
using Adjacency = std::vector<std::vector<int>>;

/// Throws Error unless all neighbours are other ranks of the job, named once, and neighbours of each other.
void check_neighbours(const Adjacency& neighbours);

/// (from, to) in local ranks for both directions of every edge inside `node`, ascending.
std::vector<std::pair<int, int>> edges_inside(const World& world, const Adjacency& neighbours, int node);

}  // namespace treering::transport
