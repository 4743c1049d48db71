#include "transport/world.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>

#include "treering/status.h"

namespace treering::transport {

int World::node_count() const { return node_of.empty() ? 0 : *std::max_element(node_of.begin(), node_of.end()) + 1; }

std::vector<int> World::ranks_of(int node) const {
  std::vector<int> ranks;
  for (int other = 0; other < size; ++other)
    if (node_of[static_cast<std::size_t>(other)] == node) ranks.push_back(other);
  return ranks;
}

int World::local_rank_of(int other) const {
  const auto end = node_of.begin() + other;
  return static_cast<int>(std::count(node_of.begin(), end, *end));
}

int World::leader_of(int node) const {
  return static_cast<int>(std::find(node_of.begin(), node_of.end(), node) - node_of.begin());
}

int World::member_count() const { return devices.empty() ? size : std::accumulate(devices.begin(), devices.end(), 0); }

World make_world(int rank, const std::vector<int>& labels, std::vector<std::string> hosts) {
  World world{rank, static_cast<int>(labels.size()), {}, std::move(hosts), {}};
  std::unordered_map<int, int> number_of;
  for (const int label : labels)
    world.node_of.push_back(number_of.try_emplace(label, static_cast<int>(number_of.size())).first->second);
  return world;
}

void check_node_map(const std::vector<int>& node_map, int size) {
  if (node_map.size() != static_cast<std::size_t>(size))
    throw Error(StatusCode::invalid_argument,
                "TREERING_NODE_MAP names a node for " + std::to_string(node_map.size()) + " ranks, but the job has " +
                    std::to_string(size) + ": give one number per rank, for example 0,0,1,1 for 4 ranks on 2 nodes");
  for (std::size_t rank = 0; rank < node_map.size(); ++rank)
    if (node_map[rank] < 0)
      throw Error(StatusCode::invalid_argument, "TREERING_NODE_MAP gives rank " + std::to_string(rank) + " the node " +
                                                    std::to_string(node_map[rank]) +
                                                    ": nodes are numbers from 0 upwards");
}

namespace {

[[noreturn]] void refuse_neighbours(std::size_t rank, int neighbour, const char* why) {
  throw Error(StatusCode::internal, "the control tree is broken: rank " + std::to_string(rank) +
                                        " names the neighbour " + std::to_string(neighbour) + ", which " + why);
}

}  // namespace

void check_neighbours(const Adjacency& neighbours) {
  const int size = static_cast<int>(neighbours.size());
  for (std::size_t rank = 0; rank < neighbours.size(); ++rank) {
    const std::vector<int>& mine = neighbours[rank];
    for (const int other : mine) {
      if (other < 0 || other >= size) refuse_neighbours(rank, other, "is not a rank of the job");
      if (other == static_cast<int>(rank)) refuse_neighbours(rank, other, "is itself");
      if (std::count(mine.begin(), mine.end(), other) != 1) refuse_neighbours(rank, other, "it names twice");
      const std::vector<int>& theirs = neighbours[static_cast<std::size_t>(other)];
      if (std::find(theirs.begin(), theirs.end(), static_cast<int>(rank)) == theirs.end())
        refuse_neighbours(rank, other, "does not name it in return (are the fan-outs of both ranks equal?)");
    }
  }
}

std::vector<std::pair<int, int>> edges_inside(const World& world, const Adjacency& neighbours, int node) {
  std::vector<std::pair<int, int>> edges;
  for (const int from : world.ranks_of(node))
    for (const int to : neighbours[static_cast<std::size_t>(from)])
      if (world.node_of[static_cast<std::size_t>(to)] == node)
        edges.emplace_back(world.local_rank_of(from), world.local_rank_of(to));
  std::sort(edges.begin(), edges.end());
  return edges;
}

}  // namespace treering::transport
