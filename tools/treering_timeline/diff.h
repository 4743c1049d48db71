#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/treering_timeline/analysis.h"

namespace treering::tools {

/// One figure in both runs.
struct Change {
  std::string what;
  std::string unit;  ///< "ms", "bytes/s", "batches", ...
  double before = 0;
  double after = 0;
};

struct Difference {
  std::vector<Change> figures;
  std::vector<Change> causes;   ///< milliseconds lost in a step, by kind and rank; the largest change first
  std::vector<Change> tensors;  ///< milliseconds that ranks waited in one operation, by name; the largest change first
  std::vector<std::string> only_before;  ///< names
  std::vector<std::string> only_after;
};

Difference compare(const Run& before, const Analysis& analysis_before, const Run& after,
                   const Analysis& analysis_after);

std::string difference_text(const Difference& difference);
std::string difference_json(const Difference& difference);

}  // namespace treering::tools
