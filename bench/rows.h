#pragma once

#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/report.h"

namespace bench {

/// A row per contestant. The first contestant is the peer of the others if it does not use the engine.
std::vector<Row> rows_of(const std::string& work, const std::string& unit, double units_per_second,
                         const std::vector<Contestant>& contestants, const std::vector<Timing>& timings);

}  // namespace bench
