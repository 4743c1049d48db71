#include "bench/cases.h"
#include "bench/contestants.h"
#include "bench/rows.h"

namespace bench {
namespace {

constexpr std::size_t big_tensor = std::size_t{16} << 20;  // 64 MiB of floats

Floor ratio_at_least(double bound) { return {Floor::Kind::ratio_at_least, bound}; }

/// Rows for: MPI, Treering in ordinary memory, Treering in the engine's memory.
std::vector<Row> against_mpi(const Job& job, const Options& options, const char* work,
                             const std::vector<TensorSize>& sizes) {
  const std::vector<Contestant> contestants = {mpi_peer(job, sizes), treering_ordinary(job, sizes),
                                               treering_shared(job, sizes)};
  const Schedule schedule{.rounds = options.rounds, .approach = [&job] { job.sync(); }};
  return rows_of(work, "ms", 1e3, contestants, measure(job, contestants, schedule));
}

}  // namespace

std::vector<Row> run_resnet50(const Job& job, const Options& options) {
  std::vector<Row> rows = against_mpi(job, options, "resnet50", resnet50());
  rows[1].floor = ratio_at_least(1);
  rows[2].floor = ratio_at_least(job.crowded() ? 1 : 2);
  return rows;
}

std::vector<Row> run_one_big(const Job& job, const Options& options) {
  std::vector<Row> rows = against_mpi(job, options, "64MiB", uniform_set(1, big_tensor));
  if (!job.crowded()) rows[2].floor = ratio_at_least(4);
  return rows;
}

std::vector<Row> run_many_small(const Job& job, const Options& options) {
  std::vector<Row> rows = against_mpi(job, options, "1000small", uniform_set(1000, 256));
  if (!job.crowded()) rows[1].floor = rows[2].floor = ratio_at_least(1);
  return rows;
}

std::vector<Row> run_cross(const Job& job, const Options& options) {
  const std::vector<Contestant> contestants = {treering_shared(job, uniform_set(1, big_tensor))};
  const Schedule schedule{.rounds = options.rounds, .approach = [&job] { job.sync(); }};
  return rows_of("cross", "ms", 1e3, contestants, measure(job, contestants, schedule));
}

}  // namespace bench
