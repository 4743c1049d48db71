#pragma once

#include <vector>

#include "tools/treering_timeline/join.h"
#include "tools/treering_timeline/steps.h"

namespace treering::tools {

/// When each rank handed over and was ready with each operation of one step that all ranks recorded.
struct StepTable {
  struct Row {
    std::uint32_t operation = 0;
    std::vector<Nanoseconds> enqueued;  ///< by place in `Run::ranks`
    std::vector<Nanoseconds> ready;
  };
  std::vector<Row> rows;
  std::size_t ranks = 0;
};

StepTable table_of(const Joined& joined, const Step& step);

/// The lower median of the others' values in one row's column.
Nanoseconds median_of_others(const std::vector<Nanoseconds>& values, std::size_t rank);

}  // namespace treering::tools
