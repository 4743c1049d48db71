// Whole engines as processes. The same bodies run as threads in tests/engine; the number of ranks and the node map come
// from the registration in meson.build.

#include <doctest/doctest.h>

#include <functional>

#include "tests/bodies/arrival.h"
#include "tests/bodies/devices.h"
#include "tests/bodies/errors.h"
#include "tests/bodies/others.h"
#include "tests/mpi/job.h"

using namespace treering;
using namespace treering::test;

TEST_CASE("mpi: the full allreduce matrix, small slots") {
  on_engine(small_config(), [](Engine& engine) { allreduce_matrix(engine, 30'000); });
}

TEST_CASE("mpi: the allreduce matrix, defaults and deterministic") {
  on_engine(Config::from_environment(), [](Engine& engine) { allreduce_matrix(engine, 3000); });
  Config config = small_config();
  config.deterministic = true;
  on_engine(config, [](Engine& engine) { allreduce_matrix(engine, 10'000); });
}

TEST_CASE("mpi: engine memory") {
  const auto body = [](Engine& engine) {
    allreduce_in_engine_memory(engine, 300'001);
    if (engine.local_size() > 1 && engine.config().shared_memory) CHECK(engine.counters().mapped_batches > 0);
  };
  on_engine(small_config(), body);
  on_engine(Config::from_environment(), body);
}

TEST_CASE("mpi: memory is the caller's as soon as the handle is done; empty tensors anywhere") {
  const auto body = [](Engine& engine) {
    scribble_at_once(engine, 200'003);
    empty_tensors(engine);
  };
  on_engine(small_config(), body);
  on_engine(Config::from_environment(), body);
}

TEST_CASE("mpi: all ranks have the plan that the configuration asks for") {
  on_engine(Config::from_environment(), [](Engine& engine) {
    const bool trees = !engine.config().topology.empty() && !engine.config().deterministic;
    const auto mentions = [&](const char* part) { return engine.plan().find(part) != std::string::npos; };
    CAPTURE(engine.plan());
    CHECK((trees ? mentions(" trees over the first ") || mentions("two-level trees between ") : mentions("stars: ")));
    const auto mine = static_cast<std::int64_t>(engine.counters().plan);
    std::int64_t least = mine, most = mine;
    engine.allreduce("least plan", view(&least, 1), ReduceOp::min).wait();
    engine.allreduce("most plan", view(&most, 1), ReduceOp::max).wait();
    CHECK(least == mine);
    CHECK(most == mine);
  });
}

TEST_CASE("mpi: several devices per rank") {
  on_engine(small_config(), several_devices);
  on_engine(Config::from_environment(), several_devices);
}

TEST_CASE("mpi: an engine for a part of the ranks") {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  Config config = small_config();
  config.node_map.clear();
  {
    const auto engine = Engine::start(config, &half);
    int size = 0;
    MPI_Comm_size(half, &size);
    CHECK(engine->size() == size);
    allreduce_in_engine_memory(*engine, 10'001);
  }
  MPI_Comm_free(&half);
}

TEST_CASE("mpi: shuffled arrival") {
  on_engine(Config::from_environment(), [](Engine& engine) { shuffled_arrival(engine, 200, 5, 100'000); });
  Config config = small_config();
  config.pack_limit = 0;
  on_engine(config, [](Engine& engine) { shuffled_arrival(engine, 100, 3, 20'000); });
}

TEST_CASE("mpi: same name in flight, bundles, threads") {
  on_engine(small_config(), [](Engine& engine) {
    same_name_in_flight(engine);
    bundles(engine);
    many_threads(engine, 8, 10);
  });
}

TEST_CASE("mpi: broadcast, allgather, barrier, callbacks") {
  on_engine(small_config(), [](Engine& engine) {
    broadcasts(engine, 50'000);
    allgathers(engine, 3000);
    gathers_between_reductions(engine);
    barriers(engine);
    callbacks(engine);
  });
}

TEST_CASE("mpi: scaling and special values") {
  on_engine(Config::from_environment(), [](Engine& engine) {
    scaling(engine);
    special_values(engine);
  });
}

TEST_CASE("mpi: errors") {
  on_engine(Config::from_environment(), [](Engine& engine) {
    local_misuse(engine);
    mismatches(engine);
    late_rank_owes(engine);
  });
}

TEST_CASE("mpi: shutdown with work pending") {
  on_engine(Config::from_environment(), [](Engine& engine) { shutdown_with_work_pending(engine); });
}

TEST_CASE("mpi: memory that cannot be shared makes every rank its own node") {
  Config config = small_config();
  config.shared_memory = false;
  on_engine(config, [](Engine& engine) {
    CHECK(engine.node_count() == engine.size());
    allreduce_in_engine_memory(engine, 50'001);
    shuffled_arrival(engine, 40, 2, 20'000);
  });
}

TEST_CASE("mpi: two engines in one process, and the user's own MPI traffic between them") {
  Config config = small_config();
  on_engine(config, [&](Engine& first) {
    on_engine(config, [&](Engine& second) {
      Elements<float> a(5000);
      Elements<float> b(5000);
      for (std::uint64_t step = 0; step < 10; ++step) {
        fill(a.begin(), 5000, ReduceOp::sum, step, first.rank());
        fill(b.begin(), 5000, ReduceOp::max, step, first.rank());
        const Handle one = first.allreduce("x", view(a.begin(), 5000), ReduceOp::sum);
        const Handle two = second.allreduce("x", view(b.begin(), 5000), ReduceOp::max);
        CHECK(user_traffic_is_intact(static_cast<int>(step)));
        one.wait();
        two.wait();
        CHECK(wrong_elements(a.begin(), 5000, ReduceOp::sum, step, first.size()) == 0);
        CHECK(wrong_elements(b.begin(), 5000, ReduceOp::max, step, first.size()) == 0);
      }
    });
  });
}
