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

/// What rank 0 holds after sums whose rounding depends on the order of operands, over tensors of many sizes.
std::vector<float> inexact_sums(const Config& config) {
  std::vector<float> result;
  run_ranks(static_cast<int>(config.node_map.size()), config, [&](Engine& engine) {
    std::vector<std::vector<float>> tensors;
    std::vector<Handle> handles;
    for (const std::size_t count : {1U, 100U, 3000U, 7U, 40'000U, 500U}) {
      std::vector<float>& tensor = tensors.emplace_back(count);
      for (std::size_t i = 0; i < count; ++i)
        tensor[i] = static_cast<float>(mix(count, static_cast<std::uint64_t>(engine.rank()), i) % 1'000'003) / 977.0F;
    }
    for (std::size_t t = 0; t < tensors.size(); ++t)
      handles.push_back(engine.allreduce("inexact " + std::to_string(t), view(tensors[t]), ReduceOp::average));
    for (const Handle& handle : handles) handle.wait();
    if (engine.rank() != 0) return;
    for (const std::vector<float>& tensor : tensors) result.insert(result.end(), tensor.begin(), tensor.end());
  });
  return result;
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

TEST_CASE("inproc: memory is the caller's as soon as the handle is done; empty tensors anywhere") {
  on_all_jobs([](Engine& engine) {
    scribble_at_once(engine, 100'003);
    empty_tensors(engine);
  });
}

TEST_CASE("inproc: in deterministic mode the bits do not depend on how batches fall") {
  for (const std::vector<int>& nodes : std::vector<std::vector<int>>{{0, 0, 0}, {0, 1, 2}, {0, 0, 1, 2, 2}}) {
    Config config = small_config();
    config.node_map = nodes;
    config.deterministic = true;
    const std::vector<float> reference = inexact_sums(config);
    config.pack_limit = 0;
    CHECK(inexact_sums(config) == reference);
    config = small_config();
    config.node_map = nodes;
    config.deterministic = true;
    config.batch_limit = 256 * 1024;
    config.pack_limit = 128 * 1024;
    config.chunk_bytes = 4096;
    config.piece_limit = 8192;
    config.lanes = 1;
    config.one_shot_limit = 0;
    CHECK(inexact_sums(config) == reference);
  }
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
