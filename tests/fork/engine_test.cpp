// Whole engines in forked processes. The same bodies run as threads in tests/engine and over MPI in tests/mpi.

#include <doctest/doctest.h>

#include <functional>

#include "tests/bodies/arrival.h"
#include "tests/bodies/errors.h"
#include "tests/bodies/others.h"
#include "tests/bodies/small_config.h"
#include "treering/treering.h"

using namespace treering;
using namespace treering::test;

namespace {

void on_engine(const Config& config, const std::function<void(Engine&)>& body) {
  const auto engine = Engine::start(config);
  body(*engine);
}

Config small() { return small_config(Config::from_environment()); }

}  // namespace

TEST_CASE("fork: the full allreduce matrix, small slots and defaults") {
  on_engine(small(), [](Engine& engine) { allreduce_matrix(engine, 30'000); });
  on_engine(Config::from_environment(), [](Engine& engine) { allreduce_matrix(engine, 3000); });
}

TEST_CASE("fork: engine memory is mapped by all ranks") {
  on_engine(small(), [](Engine& engine) {
    CHECK(engine.node_count() == 1);
    CHECK(engine.local_rank() == engine.rank());
    allreduce_in_engine_memory(engine, 300'001);
    if (engine.size() > 1) CHECK(engine.counters().mapped_batches > 0);
  });
}

TEST_CASE("fork: memory is the caller's as soon as the handle is done") {
  on_engine(small(), [](Engine& engine) {
    scribble_at_once(engine, 200'003);
    empty_tensors(engine);
  });
}

TEST_CASE("fork: shuffled arrival, same name in flight, bundles, threads") {
  on_engine(small(), [](Engine& engine) {
    shuffled_arrival(engine, 100, 3, 20'000);
    same_name_in_flight(engine);
    bundles(engine);
    many_threads(engine, 8, 10);
  });
}

TEST_CASE("fork: broadcast, allgather, barrier, callbacks, scaling") {
  on_engine(small(), [](Engine& engine) {
    broadcasts(engine, 50'000);
    allgathers(engine, 3000);
    barriers(engine);
    callbacks(engine);
    scaling(engine);
    special_values(engine);
  });
}

TEST_CASE("fork: errors, and shutdown with work pending") {
  on_engine(Config::from_environment(), [](Engine& engine) {
    mismatches(engine);
    late_rank_owes(engine);
    shutdown_with_work_pending(engine);
  });
}

TEST_CASE("fork: two engines in one process") {
  on_engine(small(), [](Engine& first) {
    on_engine(small(), [&](Engine& second) {
      barriers(first);
      allreduce_in_engine_memory(second, 10'001);
      allreduce_in_engine_memory(first, 10'001);
    });
  });
}

TEST_CASE("fork: several nodes are refused on every rank, and the next engine starts") {
  Config config = small();
  int size = 0;
  on_engine(config, [&](Engine& engine) { size = engine.size(); });
  if (size > 1) {
    config.shared_memory = false;
    CHECK_THROWS_WITH_AS(Engine::start(config), doctest::Contains("one node"), Error);
    config = small();
    for (int rank = 0; rank < size; ++rank) config.node_map.push_back(rank);
    CHECK_THROWS_WITH_AS(Engine::start(config), doctest::Contains("TREERING_NODE_MAP"), Error);
  }
  on_engine(small(), [](Engine& engine) { barriers(engine); });
}
