#pragma once

#include <string>
#include <vector>

#include "topology/link_graph.h"

namespace treering::topology {

/// Groups of members that can reach each other both ways, each ascending.
std::vector<std::vector<int>> connected_groups(const LinkGraph& graph);

/// The graph with weak direct links between members of different groups, which stand for a slow way that nobody
/// described: 1/members of a unit each, so capacities are multiplied by members where they have room for it.
LinkGraph with_assumed_links(const LinkGraph& graph, const std::vector<std::vector<int>>& groups);

}  // namespace treering::topology
