// Whole engines on trees that are no stars: planned from files that describe other machines.

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <set>

#include "tests/bodies/arrival.h"
#include "tests/bodies/others.h"
#include "tests/engine/machines.h"
#include "tests/engine/ranks.h"

using namespace treering;
using namespace treering::test;

namespace {

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) {
    const int file = mkstemp(path_.data());
    REQUIRE(file >= 0);
    REQUIRE(write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    close(file);
  }
  ~TemporaryFile() { unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/treering-topology-XXXXXX";
};

Config config_for(const TemporaryFile& file, const std::string& builder, const std::vector<int>& nodes) {
  Config config = small_config();
  config.topology = file.path();
  config.builder = builder;
  config.node_map = nodes;
  return config;
}

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void bodies(Engine& engine, const std::string& builder) {
  CHECK(mentions(engine.plan(), builder + " trees over the first"));
  // Programs are the same for every type and operation; the full matrix runs on stars, and on trees under mpiexec.
  for (const ReduceOp op : {ReduceOp::sum, ReduceOp::average, ReduceOp::min})
    check_type<float>(engine, op, op == ReduceOp::min, {1, 0, 300, 9000}, 5);
  check_type<BFloat16>(engine, ReduceOp::sum, true, {7, 20'000}, 6);
  check_type<std::int8_t>(engine, ReduceOp::average, true, {9000, 3}, 7);
  allreduce_in_engine_memory(engine, 30'001);
  shuffled_arrival(engine, 30, 2, 10'000);
  broadcasts(engine, 5000);
}

void on_machine(const std::string& machine, const std::vector<std::vector<int>>& jobs) {
  const TemporaryFile file(machine);
  for (const std::vector<int>& nodes : jobs)
    for (const std::string builder : {"binomial", "packed", "chain"}) {
      CAPTURE(nodes.size());
      CAPTURE(builder);
      run_ranks(static_cast<int>(nodes.size()), config_for(file, builder, nodes),
                [&](Engine& engine) { bodies(engine, builder); });
    }
}

const std::vector<int> three(3), five(5), eight(8);
const std::vector<int> uneven{0, 0, 1, 0, 0, 1, 0, 2};  // 5, 2 and 1

}  // namespace

TEST_CASE("topology plan: a path of 4") { on_machine(path_of_4, {three, {0, 0, 0, 0}, {0, 0, 1, 1, 2}}); }
TEST_CASE("topology plan: a cycle of 8") { on_machine(cycle_of_8, {three, five, eight, uneven}); }
TEST_CASE("topology plan: a binary tree") { on_machine(binary_tree_of_8, {three, five, eight, uneven}); }
TEST_CASE("topology plan: two uneven domains") { on_machine(two_domains_of_8, {three, five, eight, uneven}); }

TEST_CASE("topology plan: links that differ by direction, up along other trees than down") {
  const TemporaryFile file(one_way_circle_of_5);
  for (const std::vector<int>& nodes : {five, std::vector<int>{0, 0, 1, 0, 0, 1, 0, 2}})
    run_ranks(static_cast<int>(nodes.size()), config_for(file, "forest", nodes), [](Engine& engine) {
      CHECK(mentions(engine.plan(), "reduced along trees of its own"));
      bodies(engine, "forest");
    });
}

TEST_CASE("topology plan: rank 0's file and builder count, and all have the same plan") {
  const TemporaryFile file(binary_tree_of_8);
  const Config root = config_for(file, "packed", uneven);
  Config other = root;
  other.topology = "/no/such/file";
  other.builder = "nobody";
  std::vector<std::uint64_t> plans(8);
  std::vector<std::string> whys(8);
  run_ranks(
      8, [&](int rank) { return rank == 0 ? root : other; },
      [&](Engine& engine) {
        const auto rank = static_cast<std::size_t>(engine.rank());
        plans[rank] = engine.counters().plan;
        whys[rank] = engine.plan();
        CHECK(engine.config().topology == file.path());
        CHECK(engine.config().builder == "packed");
        barriers(engine);
      });
  CHECK(std::set(plans.begin(), plans.end()).size() == 1);
  CHECK(std::set(whys.begin(), whys.end()).size() == 1);
  std::uint64_t stars = 0;
  Config plain = small_config();
  plain.node_map = uneven;
  run_ranks(8, plain, [&](Engine& engine) {
    if (engine.rank() == 0) stars = engine.counters().plan;
    CHECK(mentions(engine.plan(), "no topology is given"));
  });
  CHECK(plans[0] != stars);
}

TEST_CASE("topology plan: stars where the file cannot be used, and in deterministic mode") {
  const TemporaryFile file(path_of_4);
  const TemporaryFile garbage("this is no machine\n");
  run_ranks(5, config_for(file, "auto", five), [](Engine& engine) {
    CHECK(mentions(engine.plan(), "4 devices, but a node of this job has 5 ranks"));
    shuffled_arrival(engine, 20, 2, 20'000);
  });
  run_ranks(3, config_for(garbage, "auto", three), [](Engine& engine) {
    CHECK(mentions(engine.plan(), "stars"));
    shuffled_arrival(engine, 20, 2, 20'000);
  });
  Config deterministic = config_for(file, "chain", three);
  deterministic.deterministic = true;
  run_ranks(3, deterministic, [](Engine& engine) {
    CHECK(mentions(engine.plan(), "deterministic"));
    shuffled_arrival(engine, 20, 2, 20'000);
  });
}

TEST_CASE("topology plan: ranks gather what they see, and every node has trees of its own") {
  const TemporaryFile cycle(cycle_of_8), tree(binary_tree_of_8);
  const std::vector<int> nodes{0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3};  // a cycle, a tree, two domains, and one rank
  const auto config_of = [&](int rank) {
    Config config = small_config();
    config.node_map = nodes;
    if (rank == 3) config.topology = cycle.path();
    if (rank == 5) config.topology = tree.path();
    return config;
  };
  const auto host_of = [&](int rank) {
    HostView host;
    host.graph = topology::read_topology(two_numa_domains, "injected").graph;
    host.source = "injected";
    host.domain = rank % 2 == 0 ? 0 : 4;
    return host;
  };
  std::vector<std::uint64_t> plans(nodes.size());
  run_ranks(
      static_cast<int>(nodes.size()), config_of,
      [&](Engine& engine) {
        plans[static_cast<std::size_t>(engine.rank())] = engine.counters().plan;
        for (const char* part : {"node(s) 0: ", "node(s) 1: ", cycle.path().c_str(), tree.path().c_str(),
                                 "two-level trees between 6 members in 2 NUMA domains of injected"})
          CHECK(mentions(engine.plan(), part));
        for (const ReduceOp op : {ReduceOp::sum, ReduceOp::average, ReduceOp::max})
          check_type<float>(engine, op, op == ReduceOp::sum, {1, 0, 300, 9000, 50'000}, 5);
        allreduce_in_engine_memory(engine, 30'001);
        shuffled_arrival(engine, 20, 2, 10'000);
      },
      host_of);
  CHECK(std::set(plans.begin(), plans.end()).size() == 1);
}

TEST_CASE("topology plan: many ranks of one node go two levels") {
  run_ranks(24, small_config(), [](Engine& engine) {
    CHECK(mentions(engine.plan(), "two-level trees between 24 members"));
    check_type<float>(engine, ReduceOp::average, true, {1, 3000, 20'000}, 8);
    check_type<Float16>(engine, ReduceOp::max, false, {5, 20'000}, 9);
  });
}

TEST_CASE("topology plan: a builder that does not exist ends the start on every rank") {
  Config config = small_config();
  config.builder = "pakced";
  auto fabrics = transport::inproc::make_fabrics(3, fabric_options(config));
  std::vector<std::string> words(3);
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < 3; ++rank)
    threads.emplace_back([&, rank] {
      try {
        start_over(config, std::move(fabrics[rank]));
      } catch (const Error& error) {
        words[rank] = error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : words) CHECK(mentions(text, "rank 0: builder (TREERING_BUILDER) is \"pakced\""));
}
