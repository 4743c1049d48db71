#include <chrono>
#include <thread>

#include "bench/cases.h"
#include "bench/contestants.h"
#include "bench/cpu_use.h"
#include "bench/rows.h"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

Floor value_at_most(double bound) { return {Floor::Kind::value_at_most, bound}; }

std::vector<Row> latency_rows(const Job& job, const char* work, const Schedule& schedule, double floor) {
  const std::vector<TensorSize> sizes = uniform_set(1, 256);
  const std::vector<Contestant> contestants = {mpi_peer(job, sizes), treering_ordinary(job, sizes),
                                               treering_shared(job, sizes)};
  std::vector<Row> rows = rows_of(work, "us", 1e6, contestants, measure(job, contestants, schedule));
  if (!job.crowded()) rows[1].floor = rows[2].floor = value_at_most(floor);
  return rows;
}

}  // namespace

std::vector<Row> run_latency(const Job& job, const Options& options) {
  return latency_rows(job, "latency",
                      {.rounds = options.rounds, .warm_up = 2, .repeats = 100, .approach = [&job] { job.sync(); }}, 40);
}

std::vector<Row> run_latency_after_idle(const Job& job, const Options& options) {
  // All ranks leave `sync` together and sleep equally long, so they come back within the jitter of the timer.
  const auto approach = [&job] {
    job.sync();
    std::this_thread::sleep_until(Clock::now() + std::chrono::milliseconds(50));
  };
  return latency_rows(job, "latency-idle", {.rounds = 2 * options.rounds, .approach = approach}, 200);
}

std::vector<Row> run_idle(const Job& job, const Options& options) {
  job.sync();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // whatever still winds down is not idling
  const double used = process_cpu_seconds();
  const auto start = Clock::now();
  std::this_thread::sleep_for(std::chrono::duration<double>(options.idle_seconds));
  const double wall = std::chrono::duration<double>(Clock::now() - start).count();
  const double cores = job.total({(process_cpu_seconds() - used) / wall})[0];
  return {{.work = "idle",
           .contestant = "treering, all ranks",
           .unit = "cores",
           .median = cores,
           .p10 = cores,
           .p90 = cores,
           .floor = value_at_most(0.01)}};
}

}  // namespace bench
