#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ops/symbols.h"
#include "ops/vector_clock.h"

namespace treering::ops {

/// A few bytes of memory: what lies there, and who touched it when.
struct Cell {
  Symbol symbol = 0;
  std::uint64_t offset = 0;  ///< batch offset of what lies there
  Epoch write;
  std::vector<Epoch> reads;  ///< since the write; one per actor
};

/// Notes the access; false if it is not ordered after the writes (and, for a write, the reads) before it.
bool read_cell(Cell& cell, const VectorClock& clock, std::uint32_t actor);
bool write_cell(Cell& cell, const VectorClock& clock, std::uint32_t actor);
/// True if every access is known.
bool all_known(const Cell& cell, const VectorClock& clock);

}  // namespace treering::ops
