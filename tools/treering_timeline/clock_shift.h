#pragma once

#include "timeline/clock_map.h"
#include "tools/treering_timeline/model.h"

namespace treering::tools {

/// Moves all times of a rank, which are by its own clock, to the clock of rank 0, and notes how far they may be off.
void shift_to_reference(RankTrace& trace, const timeline::ClockMap& clock);

/// Moves all times so that the run's first is zero, and notes begin and end.
void shift_to_zero(Run& run);

}  // namespace treering::tools
