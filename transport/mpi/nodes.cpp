#include "transport/mpi/nodes.h"

#include <map>
#include <utility>

#include "transport/world.h"
#include "treering/status.h"

namespace treering::transport::mpi {

namespace {

/// Refuses a map that joins what MPI and the host names keep apart.
void check_map(const std::vector<int>& node_map, const std::vector<int>& real, const std::vector<Place>& places) {
  std::map<int, std::size_t> first_of;
  for (std::size_t rank = 0; rank < node_map.size(); ++rank) {
    const std::size_t first = first_of.try_emplace(node_map[rank], rank).first->second;
    if (real[first] == real[rank]) continue;
    throw Error(StatusCode::invalid_argument,
                "TREERING_NODE_MAP puts ranks " + std::to_string(first) + " (host " + places[first].host + ") and " +
                    std::to_string(rank) + " (host " + places[rank].host + ") on node " +
                    std::to_string(node_map[rank]) +
                    ", but they do not share memory: a map may split machines, not join them");
  }
}

}  // namespace

Nodes nodes_of(const std::vector<Place>& places, const std::vector<int>& node_map) {
  Nodes nodes;
  std::map<std::pair<int, std::string>, int> label_of;
  std::map<int, std::string> host_of_split;
  for (const Place& place : places) {
    const auto next = static_cast<int>(label_of.size());
    nodes.labels.push_back(label_of.try_emplace({place.split_leader, place.host}, next).first->second);
    const std::string& host = host_of_split.try_emplace(place.split_leader, place.host).first->second;
    if (host != place.host && nodes.warning.empty())
      nodes.warning = "MPI says that ranks on the hosts " + host + " and " + place.host +
                      " share memory; they are treated as separate nodes";
  }
  if (node_map.empty()) return nodes;
  check_node_map(node_map, static_cast<int>(places.size()));
  check_map(node_map, nodes.labels, places);
  nodes.labels = node_map;
  return nodes;
}

}  // namespace treering::transport::mpi
