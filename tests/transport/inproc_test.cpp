#include <doctest/doctest.h>

#include <latch>

#include "tests/transport/conformance.h"
#include "tests/transport/rank_threads.h"
#include "transport/inproc/job.h"

using namespace treering;
using namespace treering::transport;

namespace {

constexpr std::size_t area_bytes = 10'000;

FabricOptions options_for(std::vector<int> node_map) {
  FabricOptions options;
  options.node_map = std::move(node_map);
  options.area_bytes = area_bytes;
  options.heap_bytes = 1 << 20;
  options.neighbours = conformance::chain_of_leaders;
  return options;
}

void expect_none(const conformance::Problems& problems) {
  for (const std::string& problem : problems) FAIL_CHECK(problem);
}

conformance::Problems whole_life(Fabric& fabric) {
  conformance::Problems problems = conformance::everything(fabric, area_bytes, 2'000);
  for (std::string& more : conformance::stopping(fabric)) problems.push_back(std::move(more));
  return problems;
}

}  // namespace

TEST_CASE("inproc fabrics keep every promise on several shapes of job") {
  for (const std::vector<int>& node_map :
       {std::vector{0}, std::vector{0, 0}, std::vector{0, 1}, std::vector{0, 1, 0, 1}, std::vector{0, 0, 0, 1, 1, 2},
        std::vector{3, 3, 1, 1, 3, 7, 7, 7}}) {
    const int size = static_cast<int>(node_map.size());
    inproc::Job job(size, options_for(node_map));
    expect_none(on_all_ranks(job, size, whole_life));
  }
}

TEST_CASE("no hand-over between sleepers is lost") {
  inproc::Job job(2, options_for({0, 0}));
  expect_none(on_all_ranks(job, 2, [](Fabric& fabric) {
    conformance::Problems problems = conformance::local_hand_overs(fabric, 20'000);
    fabric.say_goodbye();
    return problems;
  }));
}

TEST_CASE("a node whose shared memory is refused falls apart, others stay") {
  FabricOptions options = options_for({0, 0, 1, 1});
  options.refuse.segments = {3};
  inproc::Job job(4, options);
  expect_none(on_all_ranks(job, 4, [](Fabric& fabric) {
    conformance::Problems problems = whole_life(fabric);
    if (fabric.world().node_of != std::vector{0, 0, 1, 2}) problems.push_back("wrong nodes");
    return problems;
  }));
}

TEST_CASE("a heap that is refused is missing for everybody, the rest works") {
  FabricOptions options = options_for({0, 0, 0});
  options.refuse.heaps = {1};
  inproc::Job job(3, options);
  expect_none(on_all_ranks(job, 3, [](Fabric& fabric) {
    conformance::Problems problems = whole_life(fabric);
    if (fabric.node().heap(0) == nullptr || fabric.node().heap(1) != nullptr || fabric.node().heap(2) == nullptr)
      problems.push_back("wrong heaps");
    return problems;
  }));
}

TEST_CASE("poison reaches every rank, over nodes and leaders, even if the poisoner is gone at once") {
  const int size = 8;
  for (int poisoner = 0; poisoner < size; ++poisoner) {
    inproc::Job job(size, options_for({0, 0, 1, 1, 2, 2, 3, 3}));
    expect_none(on_all_ranks(job, size, [poisoner](Fabric& fabric) -> conformance::Problems {
      if (fabric.world().rank == poisoner) {
        fabric.poison(Status(StatusCode::mismatch, "the first cause"));
        fabric.poison(Status(StatusCode::internal, "another cause"));
        if (fabric.poisoned().message() != "the first cause") return {"the first cause does not stay"};
        return {};
      }
      const Status cause = conformance::drive_until_poisoned(fabric);
      if (cause.message() != "the first cause" || cause.code() != StatusCode::mismatch)
        return {"learnt '" + cause.message() + "'"};
      return {};
    }));
  }
}

TEST_CASE("the death of any rank is named on all others") {
  const int size = 5;
  for (int victim = 0; victim < size; ++victim) {
    inproc::Job job(size, options_for({0, 0, 0, 1, 1}));
    const std::string name = "rank " + std::to_string(victim) + " ";
    expect_none(on_all_ranks(job, size, [&](Fabric& fabric) -> conformance::Problems {
      fabric.gather_all({});
      if (fabric.world().rank == victim) {
        job.kill(victim);
        return {};
      }
      const Status cause = conformance::drive_until_poisoned(fabric);
      if (cause.code() != StatusCode::rank_failed || cause.message().find(name) == std::string::npos)
        return {"learnt '" + cause.message() + "'"};
      fabric.declare_stopped();
      const RealClock clock;
      const Nanoseconds deadline = clock.now() + 60'000'000'000;
      while (!fabric.node_stopped() && clock.now() < deadline) {
      }
      if (!fabric.node_stopped()) return {"the node does not end"};
      return {};
    }));
  }
}

TEST_CASE("a rank that does not stop is killed, and named by the killer") {
  inproc::Job job(3, options_for({0, 0, 0}));
  std::latch stopped(2);
  std::latch killed(1);
  expect_none(on_all_ranks(job, 3, [&](Fabric& fabric) -> conformance::Problems {
    fabric.gather_all({});
    conformance::Problems problems;
    if (fabric.world().rank == 2) {
      killed.wait();
      return problems;
    }
    fabric.poison(Status(StatusCode::internal, "on purpose"));
    fabric.declare_stopped();
    stopped.arrive_and_wait();
    if (fabric.world().rank == 0) {
      if (fabric.kill_unstopped() != std::vector{2}) problems.push_back("somebody else was killed");
      if (!fabric.node_stopped()) problems.push_back("a killed rank counts as stopped");
      killed.count_down();
    }
    return problems;
  }));
}

TEST_CASE("an engine that ends without goodbye is a failure for the others, one with goodbye is not") {
  inproc::Job job(3, options_for({0, 0, 1}));
  expect_none(on_all_ranks(job, 3, [&](Fabric& fabric) -> conformance::Problems {
    const int rank = fabric.world().rank;
    fabric.gather_all({});
    if (rank == 1) fabric.say_goodbye();
    fabric.gather_all({});
    if (rank == 1) job.kill(1);  // an exit after the goodbye
    fabric.gather_all({});
    fabric.progress();
    if (!fabric.poisoned().ok()) return {"a goodbye was taken for a death"};
    fabric.gather_all({});
    if (rank != 2) return {};
    const Status cause = conformance::drive_until_poisoned(fabric);
    if (cause.message().find("rank 0 ended its engine without") == std::string::npos)
      return {"learnt '" + cause.message() + "'"};
    return {};
  }));
}

TEST_CASE("lengths that differ on the wire are a failure that names both") {
  inproc::Job job(2, options_for({0, 1}));
  expect_none(on_all_ranks(job, 2, [&](Fabric& fabric) -> conformance::Problems {
    Bytes memory(100);
    if (fabric.world().rank == 0)
      fabric.wire().send(1, 4, memory.data(), 50);
    else
      fabric.wire().receive(0, 4, memory.data(), 100);
    const std::string message = conformance::drive_until_poisoned(fabric).message();
    fabric.gather_all({});
    if (message.find("50 bytes") == std::string::npos || message.find("expected 100") == std::string::npos)
      return {"learnt '" + message + "'"};
    return {};
  }));
}

TEST_CASE("a rank that never comes is named by those that wait for it") {
  FabricOptions options = options_for({0, 0, 0});
  options.start_timeout = std::chrono::milliseconds(200);
  inproc::Job job(3, options);
  const auto problems = on_all_ranks(job, 3, [](Fabric& fabric) -> conformance::Problems {
    if (fabric.world().rank != 1) fabric.gather_all({});
    return {};
  });
  REQUIRE(problems.size() == 2);
  for (const std::string& problem : problems) CHECK(problem.find("waiting for rank(s) 1") != std::string::npos);
}

TEST_CASE("three hundred ranks in one process") {
  const int size = 300;
  std::vector<int> node_map;
  for (int rank = 0; rank < size; ++rank) node_map.push_back(rank / 4);
  const auto fabrics = inproc::make_fabrics(size, options_for(node_map));
  fabrics[0]->edge(4).send(Bytes(3));
  for (int hop = 4; hop < size; hop += 4) {
    Fabric& fabric = *fabrics[static_cast<std::size_t>(hop)];
    fabric.progress();
    REQUIRE(fabric.edge(hop - 4).receive() == Bytes(3));
    if (hop + 4 < size) fabric.edge(hop + 4).send(Bytes(3));
  }
  for (const auto& fabric : fabrics) fabric->say_goodbye();
}

TEST_CASE("options that make no sense are refused with a reason") {
  FabricOptions options = options_for({0, 0});
  CHECK_THROWS_WITH_AS(inproc::Job(3, options), doctest::Contains("for 2 ranks, but the job has 3"), Error);
  options.node_map = {0, -1};
  CHECK_THROWS_WITH_AS(inproc::Job(2, options), doctest::Contains("gives rank 1 the node -1"), Error);
  options.node_map = {0, 0};
  options.neighbours = [](const World& world) { return world.rank == 0 ? std::vector{1} : std::vector<int>{}; };
  CHECK_THROWS_WITH_AS(inproc::Job(2, options), doctest::Contains("does not name it in return"), Error);
}
