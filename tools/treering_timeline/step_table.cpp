#include "tools/treering_timeline/step_table.h"

#include "tools/treering_timeline/intervals.h"

namespace treering::tools {

StepTable table_of(const Joined& joined, const Step& step) {
  StepTable table;
  table.ranks = joined.run().ranks.size();
  for (const std::uint32_t index : step.operations) {
    const Operation& operation = joined.operations()[index];
    if (!joined.complete(operation)) continue;
    StepTable::Row row;
    row.operation = index;
    for (const LifeAt at : operation.lives) {
      row.enqueued.push_back(joined.life(at).enqueued);
      row.ready.push_back(joined.life(at).ready);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Nanoseconds median_of_others(const std::vector<Nanoseconds>& values, std::size_t rank) {
  std::vector<Nanoseconds> others;
  others.reserve(values.size());
  for (std::size_t other = 0; other < values.size(); ++other)
    if (other != rank) others.push_back(values[other]);
  return lower_median(std::move(others));
}

}  // namespace treering::tools
