#include "engine/choose_plan.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "engine/share_plan.h"
#include "ops/executor.h"
#include "tests/engine/machines.h"
#include "topology/build/forest.h"
#include "topology/plan_encoding.h"

using namespace treering;
using namespace treering::test;

namespace {

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// What a rank says that has read this text in the file, or has detected it, and is bound to this domain.
Outline outline_of(const std::string& machine, bool given = true, int domain = -1) {
  Outline outline;
  outline.view.domain = domain;
  outline.view.source = given ? "\"the file\"" : "this machine";
  outline.view.given = given;
  const topology::ReadResult read = topology::read_topology(machine, "the file");
  if (read.graph) outline.view.machine = machine;
  if (!read.graph && !machine.empty()) outline.view.problem = "\"the file\" is not used: " + read.warnings.back();
  outline.hash = machine_hash(outline.view);
  return outline;
}

JobView view_of(const topology::JobShape& job, const std::vector<Outline>& outlines) {
  std::vector<std::string> machines;
  for (const Outline& outline : outlines) machines.push_back(outline.view.machine);
  return joined_views(job, outlines, machines);
}

PlanChoice choose(const std::string& machine, const std::vector<int>& node_of, const std::string& builder = "auto",
                  Tunables tunables = {}) {
  Config config;
  config.topology = "the file";
  config.builder = builder;
  const topology::JobShape job{node_of, {}};
  Outline outline = outline_of(machine);
  if (machine.empty()) outline.view.problem = "\"the file\" is not used: it is empty";
  return choose_plan(config, tunables, job, view_of(job, std::vector<Outline>(node_of.size(), outline)));
}

int height(const topology::Tree& tree) {
  int most = 0;
  for (std::size_t member = 0; member < tree.parent.size(); ++member) {
    int hops = 0;
    for (int at = static_cast<int>(member); at != tree.root; at = tree.parent[static_cast<std::size_t>(at)]) ++hops;
    most = std::max(most, hops);
  }
  return most;
}

}  // namespace

TEST_CASE("choose_plan: trees use the links of the file only, on nodes of any size, with equal shares") {
  const std::vector<int> node_of{0, 0, 1, 0, 0, 1, 0, 2};  // 5, 2 and 1
  for (const topology::Builder& builder : topology::builders()) {
    CAPTURE(builder.name);
    if (builder.name == "star" || builder.name == "ring") continue;  // go through members
    const PlanChoice choice = choose(cycle_of_8, node_of, std::string(builder.name));
    CHECK(choice.problem.ok());
    CHECK(choice.warnings.empty());
    CHECK(mentions(choice.why, builder.name.data()));
    REQUIRE(choice.plan);
    CHECK(topology::problem_of(*choice.plan, {node_of, {}}, most_shares) == "");
    CHECK(choice.plan->shares <= most_shares);
    for (const topology::Tree& tree : choice.plan->nodes[0].trees) {
      CHECK(height(tree) >= 2);
      for (int member = 0; member < 5; ++member)
        if (const int parent = tree.parent[static_cast<std::size_t>(member)]; parent >= 0)
          CHECK(std::abs(parent - member) == 1);  // the first five of the cycle are a path
    }
  }
}

TEST_CASE("choose_plan: every builder makes valid plans of every machine and job") {
  const std::vector<std::vector<int>> jobs{{0}, {0, 0, 0}, {0, 1, 2}, {0, 0, 0, 0}, {0, 0, 0, 0, 0, 1, 1, 2}};
  for (const std::string* machine : {&cycle_of_8, &binary_tree_of_8, &two_domains_of_8})
    for (const std::vector<int>& node_of : jobs)
      for (const char* builder : {"auto", "packed", "binomial", "forest", "star", "chain", "ring"}) {
        CAPTURE(*machine);
        CAPTURE(builder);
        const PlanChoice choice = choose(*machine, node_of, builder);
        REQUIRE(choice.plan);
        CHECK(topology::problem_of(*choice.plan, {node_of, {}}, most_shares) == "");
        CHECK(mentions(choice.why, "over the first"));
        for (const std::uint64_t slot : {64U << 10, 1U << 20}) {
          topology::Plan plan = *choice.plan;
          Tunables tunables;
          plan.slot_bytes = tunables.slot_bytes = slot;
          CHECK(ops::area_bytes(plan, tunables) <= most_area_bytes({node_of, {}}, tunables));
        }
      }
}

TEST_CASE("choose_plan: where directions differ, shares come together along trees of their own") {
  const std::vector<int> node_of{0, 0, 1, 0, 0, 0};
  const PlanChoice choice = choose(one_way_circle_of_5, node_of, "forest");
  REQUIRE(choice.plan);
  CHECK(topology::problem_of(*choice.plan, {node_of, {}}, most_shares) == "");
  CHECK(choice.plan->nodes[0].reduce_trees.size() == choice.plan->nodes[0].trees.size());
  CHECK(choice.plan->nodes[1].reduce_trees.empty());
}

TEST_CASE("choose_plan: auto takes the least predicted time and says so") {
  const PlanChoice choice = choose(two_domains_of_8, {0, 0, 0, 0, 0, 0, 0, 0});
  REQUIRE(choice.plan);
  CHECK(mentions(choice.why, "chosen by prediction: 8388608 bytes"));
}

TEST_CASE("choose_plan: stars where a topology cannot be used, with one warning that says why") {
  const auto declined = [](const PlanChoice& choice, const std::string& reason) {
    CHECK_FALSE(choice.plan);
    CHECK(choice.problem.ok());
    REQUIRE(choice.warnings.size() == 1);
    CHECK(mentions(choice.warnings[0], "TREERING_TOPOLOGY"));
    CHECK(mentions(choice.warnings[0], "the file"));
    CHECK(mentions(choice.warnings[0], reason));
    CHECK(mentions(choice.why, "stars"));
    CHECK(mentions(choice.why, reason));
  };
  declined(choose(path_of_4, {0, 0, 0, 0, 0}), "4 devices, but a node of this job has 5 ranks");
  declined(choose("0 1\n1\n", {0, 0}), "");
  declined(choose("", {0, 0}), "");
  declined(choose("0 0\n0 0\n", {0, 0}), "no links join");
}

TEST_CASE("choose_plan: stars in deterministic mode and without a topology") {
  Tunables tunables;
  tunables.deterministic = 1;
  const PlanChoice deterministic = choose(cycle_of_8, {0, 0, 0}, "packed", tunables);
  CHECK_FALSE(deterministic.plan);
  CHECK(deterministic.warnings.empty());
  CHECK(mentions(deterministic.why, "deterministic"));
  CHECK(mentions(deterministic.why, "the file"));

  const PlanChoice plain = choose_plan(Config{}, Tunables{}, {{0, 0}, {}}, {});
  CHECK_FALSE(plain.plan);
  CHECK(plain.warnings.empty());
  CHECK(mentions(plain.why, "no topology is given"));
  Config useless;
  useless.builder = "chain";
  CHECK(choose_plan(useless, Tunables{}, {{0, 0}, {}}, {}).warnings.size() == 1);
}

TEST_CASE("choose_plan: a builder that does not exist ends the start, naming those that do") {
  const Status problem = choose(cycle_of_8, {0, 0}, "pakced").problem;
  CHECK(problem.code() == StatusCode::invalid_argument);
  for (const char* part : {"TREERING_BUILDER", "pakced", "auto, packed, binomial"})
    CHECK(mentions(problem.message(), part));
}

TEST_CASE("read_topology_file: what cannot be read says why") {
  const auto reason = [](const std::string& path) {
    const topology::ReadResult result = read_topology_file(path);
    CHECK_FALSE(result.graph);
    return result.warnings.empty() ? "" : result.warnings.back();
  };
  CHECK(mentions(reason("/no/such/file"), "No such file"));
  CHECK(mentions(reason("/tmp"), "not a file"));
  CHECK(mentions(reason("/dev/zero"), "not a file"));
}

TEST_CASE("compare_plans: names both hashes and the ranks") {
  compare_plans(std::array<std::uint64_t, 3>{7, 7, 7});
  try {
    compare_plans(std::array<std::uint64_t, 5>{0xab, 0xab, 0xcd, 0xab, 0xef});
    FAIL("different plans went unnoticed");
  } catch (const Error& error) {
    CHECK(error.code() == StatusCode::mismatch);
    for (const char* part : {"rank 0 has 00000000000000ab", "2, 4", "00000000000000cd"})
      CHECK(mentions(error.what(), part));
  }
}
