#pragma once

#include <vector>

#include "topology/plan.h"

namespace treering::ops {

/// For a share that comes together along one tree and whose result goes down along another: per member, whose having
/// the result of an earlier chunk it must await before it uses that chunk's place in its slot again.
///
/// A place is free when all that take the result from it have it (if nobody does, when the member itself has it), for
/// which the way up needed what lay there. What a member awaits reaches all above it on the way up with its next
/// partial sum, so these need not await it again; and who has the result, its parent on the way down has it, too.
std::vector<std::vector<int>> slot_waits(const topology::Tree& up, const topology::Tree& down);

}  // namespace treering::ops
