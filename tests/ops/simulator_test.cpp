#include "ops/simulator.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "checked_job.h"
#include "ops/compile.h"
#include "ops/simulated_forest.h"
#include "ops/split_shares.h"
#include "plan_shapes.h"
#include "tests/topology/build_graphs.h"
#include "topology/build/cross.h"
#include "topology/build/evaluate.h"
#include "topology/build/forest_plan.h"

using namespace treering;
using namespace treering::ops;
using treering::topology::Forest;
using treering::topology::ForestTree;
using treering::topology::LinkGraph;
using treering::topology::Rational;
using treering::topology::test::cycle;
using treering::topology::test::dgx1v;

namespace {

constexpr std::uint64_t mib = 1 << 20;

const topology::CostConstants nvlink = topology::default_constants(topology::Fabric::nvlink);

/// A job on one node whose plan has these trees for equal shares, and the forest that they are.
struct NodeJob {
  topology::Plan plan;
  Machine machine;
  Forest forest;
};

NodeJob node_job(const LinkGraph& graph, const Forest& forest, const std::vector<topology::Tree>& trees) {
  NodeJob job{{}, {{node_links(graph, &forest)}, nvlink}, forest};
  job.plan.nodes.push_back({std::vector<int>(static_cast<std::size_t>(graph.members)), trees});
  std::iota(job.plan.nodes[0].ranks.begin(), job.plan.nodes[0].ranks.end(), 0);
  job.plan.shares = static_cast<int>(trees.size());
  job.forest.trees.clear();
  for (const topology::Tree& tree : trees) {
    const auto same = [&](const ForestTree& other) { return other.root == tree.root && other.parent == tree.parent; };
    job.forest.trees.push_back(*std::ranges::find_if(forest.trees, same));
    job.forest.trees.back().share = Rational::of(1, std::ssize(trees));
  }
  evaluate(graph, job.forest);
  return job;
}

NodeJob equal_job(const LinkGraph& graph, std::string_view builder) {
  const Forest forest = build_forest(builder, graph);
  return node_job(graph, forest, equal_share_trees(graph, forest, graph.members));
}

/// Every tree as often as its weight says.
NodeJob weighted_job(const LinkGraph& graph, std::string_view builder) {
  const Forest forest = build_forest(builder, graph);
  const topology::WeightedTrees weighted = weighted_trees(forest);
  std::vector<topology::Tree> trees;
  for (std::size_t i = 0; i < weighted.trees.size(); ++i)
    trees.insert(trees.end(), weighted.weights[i], weighted.trees[i]);
  return node_job(graph, forest, trees);
}

void set_chunk(topology::Plan& plan, std::uint64_t chunk) {
  plan.chunk_bytes = chunk;
  plan.slot_bytes = chunk * static_cast<std::uint64_t>(plan.shares) * 64;
}

BatchShape floats(std::uint64_t bytes) {
  BatchShape shape;
  shape.bytes = bytes;
  return shape;
}

double seconds(const Simulation& simulation) {
  CHECK(simulation.problems == std::vector<std::string>{});
  return static_cast<double>(simulation.finish) * 1e-9;
}

/// The closed form is minimised over the number of chunks, so the simulation is too.
double best_seconds(topology::Plan plan, const Machine& machine, std::uint64_t bytes) {
  double best = 1e9;
  for (std::uint64_t chunk = 128 << 10; chunk <= 4 * mib; chunk *= 2) {
    set_chunk(plan, chunk);
    best = std::min(best, seconds(simulate(plan, machine, floats(bytes))));
  }
  return best;
}

double ratio(const LinkGraph& graph, const NodeJob& job, std::uint64_t bytes) {
  return best_seconds(job.plan, job.machine, bytes) / predict(graph, job.forest, bytes, nvlink).seconds;
}

/// Eight members with six links each into one switch.
LinkGraph switched() {
  LinkGraph graph(8, 9);
  for (int member = 0; member < 8; ++member) topology::test::join(graph, member, 8, 6);
  return graph;
}

/// Nodes of one or more members; a network of 10 GB/s per node and direction.
Machine network_of(const topology::Plan& plan) {
  Machine machine{{}, nvlink, 10e9, 10e-6};
  for (const topology::NodePlan& node : plan.nodes)
    machine.nodes.push_back(node_links(topology::test::complete(static_cast<int>(node.ranks.size()))));
  return machine;
}

}  // namespace

TEST_CASE("reservations: first come, first served, and gaps are filled in pieces") {
  Reservations times;
  const auto check = [&](Nanoseconds from, Nanoseconds amount, Nanoseconds begin, Nanoseconds end) {
    const TimeSpan span = times.reserve(from, amount);
    CHECK(span.begin == begin);
    CHECK(span.end == end);
  };
  check(10, 5, 10, 15);
  check(20, 5, 20, 25);
  check(10, 5, 15, 20);  // now busy from 10 to 25 without gaps
  check(12, 1, 25, 26);
  check(0, 12, 0, 28);  // 10 before, 2 after
  check(3, 0, 3, 3);
  check(40, 2, 40, 42);
  check(27, 13, 28, 43);
  check(0, 1, 43, 44);
}

TEST_CASE("machine: ways are links, else switches, never members") {
  const NodeLinks direct = node_links(cycle(4));
  CHECK(direct.routes.at({0, 1}) == std::vector<Route>{{0, 1}});
  CHECK(!direct.routes.contains({0, 2}));
  LinkGraph graph = switched();
  CHECK(node_links(graph).routes.at({3, 5}) == std::vector<Route>{{3, 8, 5}});
  graph.at(8, 5) = 0;
  CHECK(!node_links(graph).routes.contains({3, 5}));
  CHECK(node_links(graph).routes.contains({5, 3}));

  LinkGraph twice(2, 4);
  for (const int via : {2, 3})
    for (const int member : {0, 1}) topology::test::join(twice, member, via, via);
  CHECK(node_links(twice).routes.at({1, 0}) == std::vector<Route>{{1, 3, 0}});  // the wider one
}

TEST_CASE("split: programs with a stream per share are as right as those they come from") {
  using test::TreeKind;
  for (const std::vector<int>& node_of : {std::vector<int>(5), {0, 0, 0, 1, 1}, {0, 0, 1, 1, 1, 2, 2, 2}})
    for (const bool star : {true, false}) {
      const topology::Plan plan = star ? test::small_star(node_of) : test::small_trees(node_of, TreeKind::binary);
      const Geometry geometry = geometry_of(plan);
      const BatchShape shape = test::allreduce_shape(64 * 131);
      std::vector<Program> programs(node_of.size());
      std::size_t streams = 0;
      for (int node = 0; node < std::ssize(plan.nodes); ++node)
        for (int member = 0; member < std::ssize(plan.nodes[static_cast<std::size_t>(node)].ranks); ++member) {
          Program whole;
          compile(plan, geometry, shape, PathClass::staged, {node, member}, whole);
          const int rank = plan.nodes[static_cast<std::size_t>(node)].ranks[static_cast<std::size_t>(member)];
          programs[static_cast<std::size_t>(rank)] = split_shares(whole);
          streams += programs[static_cast<std::size_t>(rank)].streams.size() - whole.streams.size();
        }
      CHECK(streams > node_of.size());
      JobPrograms runs(2);
      for (auto& run : runs)
        for (const Program& program : programs) run.push_back(&program);
      CHECK(check(plan, geometry, {shape, shape}, runs).problems == std::vector<std::string>{});
    }
}

TEST_CASE("simulator: two members, by hand") {
  const LinkGraph graph = cycle(2);
  NodeJob job = equal_job(graph, "star");
  set_chunk(job.plan, 4 * mib);
  const Nanoseconds half = 41943;  // of 2 MiB at 25 GB/s
  // Each root reads the other's half and writes the result's to it, at once; that way the links are taken twice.
  CHECK(simulate(job.plan, job.machine, floats(2 * mib), PathClass::mapped).finish == 2000 + 2 * half + 3000);

  // Staged, each for its half: launch, copy, hop, launch, reduce over the link, hop, launch, copy over the link.
  const Nanoseconds copy = 3495;  // at 300 GB/s
  CHECK(simulate(job.plan, job.machine, floats(2 * mib)).finish ==
        2000 + copy + 3000 + 2000 + half + 3000 + 2000 + half);
}

TEST_CASE("simulator: what passes over each link is what the forest says, to the byte") {
  const LinkGraph graph = dgx1v();
  for (const NodeJob& one :
       {equal_job(graph, "binomial"), weighted_job(graph, "packed"), equal_job(switched(), "star")}) {
    NodeJob job = one;
    set_chunk(job.plan, 64 * 100);
    const std::uint64_t bytes = 64 * 24 * 1000;
    const Simulation simulation = simulate(job.plan, job.machine, floats(bytes));
    REQUIRE(simulation.links.size() == job.forest.loads.size());
    for (std::size_t i = 0; i < simulation.links.size(); ++i) {
      const LinkUse& use = simulation.links[i];
      const topology::LinkLoad& load = job.forest.loads[i];
      CHECK(use.from == load.from);
      CHECK(use.to == load.to);
      CHECK(Rational::of(static_cast<std::int64_t>(use.bytes), 1) == load.load * Rational::of(bytes, 1));
      const double wanted = static_cast<double>(use.bytes) / (static_cast<double>(load.capacity) * 25e9);
      CHECK(static_cast<double>(use.busy) * 1e-9 == doctest::Approx(wanted).epsilon(0.001));
      CHECK(use.busy <= simulation.finish);
    }
  }
}

TEST_CASE("simulator: the closed form holds within 10 % for large messages") {
  const LinkGraph graph = dgx1v();
  for (const char* builder : {"packed", "binomial", "forest", "chain", "ring"}) {
    CAPTURE(builder);
    const double equal = ratio(graph, equal_job(graph, builder), 256 * mib);
    CHECK(equal > 0.9);
    CHECK(equal < 1.1);
  }
  for (const char* builder : {"packed", "binomial", "forest"}) {
    CAPTURE(builder);
    const double weighted = ratio(graph, weighted_job(graph, builder), 256 * mib);
    CHECK(weighted > 0.9);
    CHECK(weighted < 1.1);
  }
  const double star = ratio(switched(), equal_job(switched(), "star"), 256 * mib);
  CHECK(star > 0.9);
  CHECK(star < 1.1);
}

TEST_CASE("simulator: rings of four nodes take what the closed form says") {
  for (const bool two : {false, true}) {
    topology::Plan plan = test::small_star(two ? std::vector{0, 0, 1, 1, 2, 2, 3, 3} : std::vector{0, 1, 2, 3});
    const Machine machine = network_of(plan);
    topology::CostConstants constants = topology::default_constants(topology::Fabric::network);
    constants.hop_seconds = machine.network_latency_seconds;
    const std::uint64_t bytes = 256 * mib;
    const double wanted = cross_seconds(topology::CrossAlgorithm::ring, 4, bytes, 10e9, constants);
    CHECK(wanted == doctest::Approx(1.5 * 256 * mib / 10e9).epsilon(0.1));
    const double got = best_seconds(plan, machine, bytes);
    CHECK(got / wanted > 0.9);
    CHECK(got / wanted < 1.1);
  }
}

TEST_CASE("simulator: a node's network port is shared, its directions are not") {
  topology::Plan plan = test::small_star({0, 0, 1, 1});
  set_chunk(plan, 256 << 10);
  const Simulation simulation = simulate(plan, network_of(plan), floats(64 * mib));
  std::size_t ports = 0;
  for (const LinkUse& use : simulation.links) {
    if (use.node != -1) continue;
    ++ports;
    CHECK(use.bytes == 64 * mib);  // of two nodes each sends half a partial sum and half a result
  }
  CHECK(ports == 4);
  CHECK(seconds(simulation) < 1.1 * 64 * mib / 10e9);
}

TEST_CASE("simulator: tree, ring and tree at once beat one after the other") {
  const LinkGraph graph = cycle(4);
  NodeJob inside = equal_job(graph, "chain");
  topology::Plan both = inside.plan, ring = test::small_star({0, 1, 2, 3});
  both.nodes.clear();
  for (int node = 0; node < 4; ++node) {
    both.nodes.push_back(inside.plan.nodes[0]);
    for (int& rank : both.nodes.back().ranks) rank += 4 * node;
  }
  const Machine machine{std::vector(4, inside.machine.nodes[0]), nvlink, 20e9, 5e-6};
  Machine only_ring = machine;
  only_ring.nodes = network_of(ring).nodes;
  const std::uint64_t bytes = 64 * mib;
  const double tree = best_seconds(inside.plan, inside.machine, bytes);
  const double around = best_seconds(ring, only_ring, bytes);
  const double whole = best_seconds(both, machine, bytes);
  CHECK(whole < 0.75 * (tree + around));
  CHECK(whole > tree);
  CHECK(whole > 1.5 * static_cast<double>(bytes) / 20e9);  // what passes each port
}

TEST_CASE("simulator: launches make plans of many trees lose for small messages, and only for those") {
  const LinkGraph graph = dgx1v();
  const NodeJob many = weighted_job(graph, "packed"), few = equal_job(graph, "chain");
  CHECK(best_seconds(many.plan, many.machine, 256 << 10) > best_seconds(few.plan, few.machine, 256 << 10));
  CHECK(best_seconds(many.plan, many.machine, 64 * mib) < best_seconds(few.plan, few.machine, 64 * mib));
  NodeJob free = many;
  free.machine.inside.launch_seconds = 0;
  CHECK(best_seconds(free.plan, free.machine, 256 << 10) < 0.5 * best_seconds(many.plan, many.machine, 256 << 10));
}

TEST_CASE("simulator: a forest is run by its best plan, or by its exact shares") {
  const LinkGraph graph = dgx1v();
  const Forest packed = build_forest("packed", graph);
  const ForestRun large = simulate_forest(graph, packed, 256 * mib, nvlink);
  CHECK(large.shares == 24);
  CHECK(seconds(large.simulation) < 256 * mib / 80e9);
  CHECK(simulate_forest(graph, packed, 64 << 10, nvlink).shares == 8);
  CHECK(simulate_forest(graph, packed, 64 << 10, nvlink, true).shares == 24);

  Forest uneven = build_forest("star", topology::test::complete(2));
  uneven.trees[0].share = Rational::of(3, 4);
  uneven.trees[1].share = Rational::of(1, 4);
  CHECK(simulate_forest(topology::test::complete(2), uneven, mib, nvlink, true).shares == 4);
}

TEST_CASE("simulator: one stream for all shares leaves links idle") {
  NodeJob job = equal_job(dgx1v(), "binomial");
  const double queues = best_seconds(job.plan, job.machine, 64 * mib);
  job.machine.queue_per_share = false;
  CHECK(best_seconds(job.plan, job.machine, 64 * mib) > 2 * queues);
}

TEST_CASE("simulator: the same arguments give the same nanoseconds") {
  NodeJob job = weighted_job(dgx1v(), "packed");
  set_chunk(job.plan, 64 << 10);
  const Simulation once = simulate(job.plan, job.machine, floats(16 * mib + 4));
  const Simulation again = simulate(job.plan, job.machine, floats(16 * mib + 4));
  CHECK(once.finish == again.finish);
  REQUIRE(once.links.size() == again.links.size());
  for (std::size_t i = 0; i < once.links.size(); ++i) CHECK(once.links[i].busy == again.links[i].busy);
  CHECK(simulate(job.plan, job.machine, floats(17 * mib)).finish > once.finish);
}

TEST_CASE("simulator: members and nodes that are not connected are a problem, not a time") {
  NodeJob job = equal_job(cycle(3), "star");
  job.machine.nodes[0].routes.erase({1, 2});
  const Simulation simulation = simulate(job.plan, job.machine, floats(mib));
  CHECK(simulation.problems == std::vector<std::string>{"on node 0, no way from member 1 to member 2"});

  topology::Plan plan = test::small_star({0, 1});
  Machine machine = network_of(plan);
  machine.network_bytes_per_second = 0;
  CHECK(simulate(plan, machine, floats(mib)).problems.size() == 2);
  CHECK(simulate(plan, machine, floats(0)).finish == 0);
}
