// Whole engines as threads of one process. The same bodies run under mpiexec in tests/mpi.

#include <doctest/doctest.h>

#include "tests/bodies/arrival.h"
#include "tests/bodies/errors.h"
#include "tests/bodies/others.h"
#include "tests/engine/ranks.h"

using namespace treering;
using namespace treering::test;

namespace {

struct Job {
  std::vector<int> nodes;
};

const std::vector<Job> jobs = {{{0}},          {{0, 0}},          {{0, 1}},      {{0, 0, 0, 1}},
                               {{0, 1, 0, 1}}, {{0, 0, 1, 1, 2}}, {{0, 1, 2, 3}}};

void on_all_jobs(const std::function<void(Engine&)>& body, const std::function<void(Config&)>& tune = {}) {
  for (const Job& job : jobs) {
    Config config = small_config();
    config.node_map = job.nodes;
    if (tune) tune(config);
    CAPTURE(job.nodes.size());
    run_ranks(static_cast<int>(job.nodes.size()), config, body);
  }
}

}  // namespace

TEST_CASE("inproc: the full allreduce matrix") {
  on_all_jobs([](Engine& engine) { allreduce_matrix(engine, 60'000); });
}

TEST_CASE("inproc: the allreduce matrix in deterministic mode") {
  on_all_jobs([](Engine& engine) { allreduce_matrix(engine, 20'000); },
              [](Config& config) { config.deterministic = true; });
}

TEST_CASE("inproc: engine memory") {
  on_all_jobs([](Engine& engine) {
    allreduce_in_engine_memory(engine, 200'001);
    if (engine.local_size() > 1) CHECK(engine.counters().mapped_batches > 0);
  });
}

TEST_CASE("inproc: shuffled arrival") {
  on_all_jobs([](Engine& engine) { shuffled_arrival(engine, 200, 6, 20'000); });
  on_all_jobs([](Engine& engine) { shuffled_arrival(engine, 60, 6, 20'000); },
              [](Config& config) {
                config.pack_limit = 0;
                config.lanes = 1;
              });
}

TEST_CASE("inproc: same name in flight, bundles, threads") {
  on_all_jobs([](Engine& engine) {
    same_name_in_flight(engine);
    bundles(engine);
    many_threads(engine, 8, 20);
  });
}

TEST_CASE("inproc: broadcast, allgather, barrier, callbacks") {
  on_all_jobs([](Engine& engine) {
    broadcasts(engine, 50'000);
    allgathers(engine, 3000);
    gathers_between_reductions(engine);
    barriers(engine);
    callbacks(engine);
  });
}

TEST_CASE("inproc: scaling and special values") {
  on_all_jobs([](Engine& engine) {
    scaling(engine);
    special_values(engine);
  });
}

TEST_CASE("inproc: errors") {
  on_all_jobs([](Engine& engine) {
    local_misuse(engine);
    mismatches(engine);
    late_rank_owes(engine);
  });
}

TEST_CASE("inproc: shutdown with work pending") {
  on_all_jobs([](Engine& engine) { shutdown_with_work_pending(engine); });
}
