#pragma once

#include "tools/treering_timeline/join.h"
#include "tools/treering_timeline/out_file.h"

namespace treering::tools {

/// Writes a run as Chrome trace JSON: one process per rank, rows on which spans nest, microseconds with all digits of
/// the nanoseconds, and an arrow from the last rank's readiness to each batch that waited for it. Memory beyond the
/// model: one rank's slices.
void write_chrome_trace(const Joined& joined, Interval window, OutFile& out);

}  // namespace treering::tools
