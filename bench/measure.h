#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/job.h"

namespace bench {

/// One way of doing the work of a case.
struct Contestant {
  std::string name;
  std::function<void(std::uint64_t salt)> prepare;       ///< fresh input; not timed
  std::function<void()> run;                             ///< timed
  std::function<std::size_t(std::uint64_t salt)> check;  ///< wrong elements; not timed
  bool uses_engine = true;
};

struct Schedule {
  int rounds = 15;  ///< of each contestant, after the warm-up
  int warm_up = 3;  ///< rounds that do not count
  int repeats = 1;  ///< runs in a row of one contestant within a round; only the first is preceded by `approach`
  std::function<void()> approach;  ///< brings all ranks to the starting line
};

struct Timing {
  std::vector<double> seconds;  ///< of the slowest rank, one per run, sorted; equal on all ranks
  std::size_t wrong = 0;        ///< elements, on all ranks

  double quantile(double q) const;
  double median() const { return quantile(0.5); }
};

/// Lets the contestants take turns, round by round, so that all see the same minutes of the machine. Collective. While
/// one that uses the engine is timed, no rank is inside MPI: ranks that are through wait for the others in the
/// engine's own barrier.
std::vector<Timing> measure(const Job& job, const std::vector<Contestant>& contestants, const Schedule& schedule);

}  // namespace bench
