#pragma once

#include <string>

#include "topology/build/forest.h"

namespace treering::topology {

/// Fills everything that follows from trees, operation and bound: rates, gap, height, loads. Routes must be set.
void evaluate(const LinkGraph& graph, Forest& forest);

/// Checks structure: every tree spans the members without cycles, shares are positive and sum to one, routes use links
/// that exist (unless the members are not connected at all) and pass through no member. Returns the first fault, or "".
std::string find_fault(const LinkGraph& graph, const Forest& forest);

}  // namespace treering::topology
