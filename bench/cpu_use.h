#pragma once

#include "bench/job.h"

namespace bench {

/// Seconds of CPU that all threads of this process have used.
double process_cpu_seconds();

/// Watches from its making on what part of this machine's CPU time goes to processes that are not of this job.
/// With more than a few per cent, figures are worth little.
class OthersWatch {
 public:
  OthersWatch();

  /// 0 ... 1; equal on all ranks. 0 where it cannot be known: on several hosts, or without /proc/stat. Collective.
  double share(const Job& job) const;

 private:
  struct Ticks {
    double busy = 0;
    double all = 0;
  };
  static Ticks machine_ticks();

  Ticks machine_;
  double own_;
};

}  // namespace bench
