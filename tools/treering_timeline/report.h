#pragma once

#include "tools/treering_timeline/analysis.h"
#include "tools/treering_timeline/out_file.h"

namespace treering::tools {

/// Writes one HTML page that holds everything: text, program and data. It loads nothing from anywhere.
void write_report(const Joined& joined, const Analysis& analysis, Interval window, OutFile& out);

}  // namespace treering::tools
