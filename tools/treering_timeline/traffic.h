#pragma once

#include <array>
#include <vector>

#include "tools/treering_timeline/model.h"

namespace treering::tools {

/// When one rank was busy with what; each list is united.
struct Busy {
  std::vector<Interval> moving;  ///< a batch ran
  std::array<std::vector<Interval>, stage_count> stages;
};

Busy busy_of(const RankTrace& rank);

/// What one rank sent to one other, in sum.
struct LinkTotal {
  int from = 0;
  int to = 0;
  std::uint64_t bytes = 0;
  Nanoseconds busy = 0;  ///< while batches that used it were between nodes; an upper bound of its own time
  double rate() const { return busy > 0 ? static_cast<double>(bytes) * 1e9 / static_cast<double>(busy) : 0; }
};

/// The most bytes first.
std::vector<LinkTotal> link_totals(const Run& run);

/// Bytes that moved, and how long that took in the median rank.
struct Rates {
  double achieved = 0;  ///< bytes per second while batches ran
  double best = 0;      ///< what the fastest tenth of the batches reached; what the same ways can carry
  double planned = 0;   ///< what the plan predicts; 0: it does not say
};

Rates rates_of(const Run& run, const std::vector<Busy>& busy);

}  // namespace treering::tools
