#pragma once

#include "tools/treering_timeline/join.h"
#include "tools/treering_timeline/steps.h"
#include "tools/treering_timeline/traffic.h"

namespace treering::tools {

/// The time of a step in which one rank's program could only wait for communication: while a thread waited for a handle
/// if that was recorded, else from its last hand-over to its last end.
Nanoseconds exposed_in(const Joined& joined, const Step& step, std::size_t rank, const Busy& busy);

}  // namespace treering::tools
