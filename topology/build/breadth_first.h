#pragma once

#include <vector>

#include "topology/build/forest.h"

namespace treering::topology {

/// One tree of fewest hops from each member along directed links, with equal shares: the plan that needs neither
/// symmetric links nor arithmetic. Every member must reach every other.
std::vector<ForestTree> breadth_first_trees(const LinkGraph& graph);

}  // namespace treering::topology
