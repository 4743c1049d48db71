#include "ops/checked_memory.h"

#include <algorithm>

namespace treering::ops {

bool read_cell(Cell& cell, const VectorClock& clock, std::uint32_t actor) {
  const Epoch now = clock.now(actor);
  const auto found = std::ranges::find(cell.reads, actor, &Epoch::actor);
  if (found != cell.reads.end())
    found->time = std::max(found->time, now.time);
  else
    cell.reads.push_back(now);
  return clock.knows(cell.write);
}

bool write_cell(Cell& cell, const VectorClock& clock, std::uint32_t actor) {
  const bool ordered = all_known(cell, clock);
  cell.write = clock.now(actor);
  cell.reads.clear();
  return ordered;
}

bool all_known(const Cell& cell, const VectorClock& clock) {
  return clock.knows(cell.write) &&
         std::ranges::all_of(cell.reads, [&](const Epoch& read) { return clock.knows(read); });
}

}  // namespace treering::ops
