#pragma once

#include <map>
#include <string>
#include <vector>

#include "tools/treering_timeline/causes.h"
#include "tools/treering_timeline/join.h"
#include "tools/treering_timeline/stages.h"
#include "tools/treering_timeline/steps.h"
#include "tools/treering_timeline/traffic.h"
#include "tools/treering_timeline/waits.h"

namespace treering::tools {

struct StepFigures {
  std::uint32_t number = 0;
  Interval when;
  Nanoseconds exposed = 0;  ///< of the median rank
};

struct BatchFigures {
  std::size_t count = 0;  ///< of the rank with the most
  std::uint64_t bytes = 0;
  std::uint64_t median_bytes = 0;
  std::uint64_t largest_bytes = 0;
  double members = 0;                          ///< tensors in one, on average
  std::map<std::string, std::size_t> reasons;  ///< why they were cut there
  std::map<std::string, std::size_t> plans;    ///< by plan and path
};

/// Everything that the views say about a run.
struct Analysis {
  std::vector<StepFigures> steps;
  Nanoseconds step = 0;  ///< median; 0: no step
  Nanoseconds step_p95 = 0;
  Nanoseconds exposed = 0;    ///< median
  std::size_t judged = 0;     ///< steps that `causes` sums over
  std::vector<Cause> causes;  ///< most lost time first
  int slowest_rank = -1;      ///< -1: none stands out
  Waits waits;
  StageTimes stages;
  Rates rates;
  BatchFigures batches;
  std::vector<LinkTotal> links;
};

Analysis analyse(const Joined& joined);

}  // namespace treering::tools
