#pragma once

#include <map>
#include <utility>
#include <vector>

#include "topology/build/cost.h"
#include "topology/build/forest.h"
#include "topology/link_graph.h"

namespace treering::ops {

/// Vertices that data passes, both ends included.
using Route = std::vector<int>;

/// The links between the members of one node and the ways that data takes over them.
struct NodeLinks {
  topology::LinkGraph graph;
  std::map<std::pair<int, int>, std::vector<Route>> routes;  ///< by members from and to
};

/// Ways between members: those that the forest's trees take, up and down, and between all other pairs the link between
/// them, else the widest of the shortest ways through switches. Pairs that are not connected have none.
NodeLinks node_links(const topology::LinkGraph& graph, const topology::Forest* forest = nullptr);

/// What programs run on, and what everything costs there.
struct Machine {
  std::vector<NodeLinks> nodes;         ///< of the plan
  topology::CostConstants inside;       ///< hand-overs, launches, reductions; links whose speed the graph does not say
  double network_bytes_per_second = 0;  ///< of a node, in each direction
  double network_latency_seconds = 0;   ///< from the end of a message to the start of what needs it
  /// What a member does for different shares goes on at the same time, as on a device with a queue for each. If not,
  /// each stream of its program does one thing after the other.
  bool queue_per_share = true;
};

}  // namespace treering::ops
