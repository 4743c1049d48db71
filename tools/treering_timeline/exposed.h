#pragma once

#include "tools/treering_timeline/join.h"
#include "tools/treering_timeline/steps.h"

namespace treering::tools {

/// The time of a step in which one rank's program could only wait for communication: from its last hand-over to its
/// last end. Of a program that waits for each tensor before it hands over the next one, from each hand-over to the end
/// before the next: its hand-overs follow ends at once.
Nanoseconds exposed_in(const Joined& joined, const Step& step, std::size_t rank);

}  // namespace treering::tools
