#pragma once

#include <vector>

#include "controller/controller.h"
#include "controller/rank_set.h"
#include "transport/world.h"

namespace treering::controller {

/// The ranks of each slot of a rank's vertex: first the rank itself, then the subtrees of its children in the order of
/// `neighbours_of(...).children`.
std::vector<RankSet> slots_of(const transport::World& world, int rank, int fanout);

/// Leaders on the longest way down from this rank, itself not counted; 0 for a rank that leads nobody.
int height_of(const transport::World& world, int rank, int fanout);

}  // namespace treering::controller
