#pragma once

#include <vector>

#include "bench/job.h"
#include "bench/report.h"

namespace bench {

struct Options {
  int rounds = 15;
  double idle_seconds = 10;
};

/// One piece of work to be compared; running it is collective.
struct Case {
  const char* name;
  const char* what;
  bool (*fits)(const Job& job);  ///< whether it runs unasked
  std::vector<Row> (*run)(const Job& job, const Options& options);
};

// cases_transfer.cpp: sets of tensors against MPI_Allreduce tensor by tensor.
std::vector<Row> run_resnet50(const Job& job, const Options& options);
std::vector<Row> run_one_big(const Job& job, const Options& options);
std::vector<Row> run_many_small(const Job& job, const Options& options);
std::vector<Row> run_cross(const Job& job, const Options& options);

// cases_latency.cpp: one small tensor, and none at all.
std::vector<Row> run_latency(const Job& job, const Options& options);
std::vector<Row> run_latency_after_idle(const Job& job, const Options& options);
std::vector<Row> run_idle(const Job& job, const Options& options);

}  // namespace bench
