#pragma once

#include "engine/rank_view.h"
#include "transport/gather.h"

namespace treering {

/// Tells all ranks what this one sees, and learns what they see; collective. A machine that several ranks see alike
/// travels once. Only rank 0 gets the result: it plans for all.
JobView gather_views(const RankView& mine, int rank, const topology::JobShape& job, const transport::Gather& gather);

}  // namespace treering
