#pragma once

#include "topology/build/forest.h"
#include "topology/build/pair_graph.h"

namespace treering::topology {

/// Gives every tree edge without a route the direct link between its ends.
void route_directly(std::vector<ForestTree>& trees);

/// Gives every tree edge the route of its pair.
void route_along(const RoutedPairs& pairs, std::vector<ForestTree>& trees);

}  // namespace treering::topology
