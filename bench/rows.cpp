#include "bench/rows.h"

namespace bench {

std::vector<Row> rows_of(const std::string& work, const std::string& unit, double units_per_second,
                         const std::vector<Contestant>& contestants, const std::vector<Timing>& timings) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    Row row{.work = work,
            .contestant = contestants[i].name,
            .unit = unit,
            .median = timings[i].median() * units_per_second,
            .p10 = timings[i].quantile(0.1) * units_per_second,
            .p90 = timings[i].quantile(0.9) * units_per_second,
            .wrong = timings[i].wrong};
    if (i > 0 && !contestants[0].uses_engine) row.ratio = timings[0].median() / timings[i].median();
    rows.push_back(row);
  }
  return rows;
}

}  // namespace bench
