// What ranks see, said and put together, and the plans that follow where nodes differ or memory has domains.

#include "engine/rank_view.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "engine/choose_plan.h"
#include "tests/engine/machines.h"
#include "topology/plan_encoding.h"
#include "topology/read/plain.h"

using namespace treering;
using namespace treering::test;

namespace {

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

RankView view_of(const std::string& machine, bool given, int domain = -1) {
  RankView view;
  view.machine = machine;
  view.source = given ? "\"file\"" : "this machine";
  view.given = given;
  view.domain = domain;
  return view;
}

Outline sent(const RankView& view) {
  ByteWriter writer;
  encode_outline(view, writer);
  return decode_outline(writer.take());
}

JobView join(const topology::JobShape& job, const std::vector<RankView>& views) {
  std::vector<Outline> outlines;
  std::vector<std::string> machines;
  for (const RankView& view : views) {
    outlines.push_back(sent(view));
    machines.push_back(view.machine);
  }
  return joined_views(job, outlines, machines);
}

PlanChoice choose(const topology::JobShape& job, const std::vector<RankView>& views, const Config& config = {}) {
  return choose_plan(config, Tunables{}, job, join(job, views));
}

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Edges of a tree whose ends are in different domains.
std::ptrdiff_t crossings(const topology::Tree& tree, const std::vector<int>& domain) {
  std::ptrdiff_t count = 0;
  for (std::size_t member = 0; member < tree.parent.size(); ++member)
    if (tree.parent[member] >= 0) count += domain[member] != domain[at(tree.parent[member])];
  return count;
}

std::vector<RankView> bound_to(const std::string& machine, bool given, const std::vector<int>& domains) {
  std::vector<RankView> views;
  for (const int domain : domains) views.push_back(view_of(machine, given, domain));
  return views;
}

}  // namespace

TEST_CASE("rank_view: a node's own file comes first, then rank 0's, then what the node has detected") {
  const topology::JobShape job{{0, 0, 1, 1, 2, 2, 3}, {}};
  const auto speakers = [&](const std::vector<RankView>& views) {
    std::vector<Outline> outlines;
    for (const RankView& view : views) outlines.push_back(sent(view));
    return speakers_of_nodes(job, outlines);
  };
  const RankView none, file = view_of(cycle_of_8, true), found = view_of(two_numa_domains, false);
  CHECK(speakers({none, none, none, file, found, found, none}) == std::vector<int>{-1, 3, 4, -1});
  CHECK(speakers({file, none, none, file, found, found, none}) == std::vector<int>{0, 3, 0, 0});
  CHECK(speakers({found, file, none, found, file, file, none}) == std::vector<int>{1, 3, 4, -1});
}

TEST_CASE("rank_view: outlines come back, and garbage knows nothing") {
  RankView view = view_of(cycle_of_8, true, 3);
  view.problem = "a problem";
  view.remark = std::string(10'000, 'x');
  const Outline back = sent(view);
  CHECK(back.hash == machine_hash(view));
  CHECK(back.view.domain == 3);
  CHECK(back.view.given);
  CHECK(back.view.source == "\"file\"");
  CHECK(back.view.problem == "a problem");
  CHECK(back.view.remark.size() == 4096);
  CHECK(sent(RankView()).hash == 0);
  ByteWriter writer;
  encode_outline(view, writer);
  const Bytes whole = writer.take();
  for (std::size_t size = 0; size < whole.size(); size += 1 + size / 40) {
    const Outline cut = decode_outline(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
    CHECK(cut.hash == 0);
    CHECK(mentions(cut.view.problem, "cannot be read"));
  }
  std::mt19937_64 random(3);
  const topology::JobShape job{{0, 1}, {}};
  for (int turn = 0; turn < 2000; ++turn) {
    Bytes garbled = whole;
    for (int change = 0; change < 3; ++change) garbled[random() % garbled.size()] = static_cast<std::byte>(random());
    const JobView joined = joined_views(job, {decode_outline(garbled), sent(view)}, {"no machine", cycle_of_8});
    CHECK(joined.machine_of.size() == 2);
    for (const int machine : joined.machine_of) CHECK(machine < static_cast<int>(joined.machines.size()));
    CHECK(joined.domain_of[0][0] >= -1);
  }
}

TEST_CASE("rank_view: the file, or why not, and then what was detected") {
  HostView host;
  host.graph = topology::read_topology(two_numa_domains, "here").graph;
  host.source = "here";
  host.domain = 4;
  Config config;
  RankView view = look_around(config, host);
  CHECK(view.machine == topology::plain_text(*host.graph));
  CHECK_FALSE(view.given);
  CHECK(view.domain == 4);
  CHECK(look_around(config, HostView()).machine.empty());
  config.topology = "/no/such/file";
  view = look_around(config, host);
  CHECK(view.machine == topology::plain_text(*host.graph));
  CHECK_FALSE(view.given);
  CHECK(mentions(view.problem, "\"/no/such/file\" is not used: cannot read it: No such file"));
}

TEST_CASE("rank_view: nodes of different hardware have trees of their own") {
  const topology::JobShape job{{0, 0, 0, 0, 1, 1, 1}, {}};
  std::vector<RankView> views(4, view_of(cycle_of_8, true));
  views.resize(7, view_of(binary_tree_of_8, true));
  Config config;
  config.topology = "file";
  const PlanChoice choice = choose(job, views, config);
  CHECK(choice.warnings.empty());
  REQUIRE(choice.plan);
  CHECK(topology::problem_of(*choice.plan, job, most_shares) == "");
  CHECK(mentions(choice.why, "node(s) 0: "));
  CHECK(mentions(choice.why, "node(s) 1: "));
  for (const topology::Tree& tree : choice.plan->nodes[0].trees)
    for (int member = 0; member < 4; ++member)
      if (tree.parent[at(member)] >= 0) CHECK(std::abs(tree.parent[at(member)] - member) == 1);
  for (const topology::Tree& tree : choice.plan->nodes[1].trees)  // 1 and 2 are joined by 0 only
    CHECK((tree.parent[1] == 2 || tree.parent[2] == 1) == false);
}

TEST_CASE("rank_view: ranks in several NUMA domains meet once per domain and tree") {
  const std::vector<int> domains{0, 4, 0, 4, 0, 4, 0, 4};
  const topology::JobShape job{std::vector<int>(8, 0), {}};
  for (const bool given : {false, true}) {
    const PlanChoice choice = choose(job, bound_to(two_numa_domains, given, domains));
    REQUIRE(choice.plan);
    CHECK(mentions(choice.why, "two-level trees between 8 members in 2 NUMA domains"));
    CHECK(mentions(choice.why, "chosen by prediction"));
    CHECK(topology::problem_of(*choice.plan, job, most_shares) == "");
    std::vector<int> roots(8);
    for (const topology::Tree& tree : choice.plan->nodes[0].trees) {
      CHECK(crossings(tree, domains) == 1);
      ++roots[at(tree.root)];
    }
    CHECK(std::ranges::max(roots) <= 2);
  }
}

TEST_CASE("rank_view: stars where domains do not matter or are not known") {
  const topology::JobShape job{std::vector<int>(8, 0), {}};
  const std::vector<int> spread{0, 4, 0, 4, 0, 4, 0, 4}, one(8, 4), unbound(8, -1), elsewhere(8, 9);
  for (const std::vector<int>& domains : {one, unbound, elsewhere}) {
    const PlanChoice choice = choose(job, bound_to(two_numa_domains, false, domains));
    CHECK_FALSE(choice.plan);
    CHECK(choice.warnings.empty());
    CHECK(mentions(choice.why, "stars: "));
  }
  const std::string wide =
      "treering-topology 1\nnode NUMA0 cpu number=0\nnode NUMA4 cpu number=4\n"
      "link NUMA0 NUMA4 bus speed=400GB/s\n";
  CHECK_FALSE(choose(job, bound_to(wide, false, spread)).plan);
  const PlanChoice dealt =
      choose(job, bound_to(two_numa_domains, true, unbound));  // a file says that there are domains
  REQUIRE(dealt.plan);
  for (const topology::Tree& tree : dealt.plan->nodes[0].trees) CHECK(crossings(tree, {0, 0, 0, 0, 1, 1, 1, 1}) == 1);
}

TEST_CASE("rank_view: two levels for many members") {
  for (const int members : {24, 40, 100}) {
    const topology::JobShape job{std::vector<int>(at(members), 0), {}};
    const PlanChoice choice = choose(job, std::vector<RankView>(at(members)));
    REQUIRE(choice.plan);
    CHECK(mentions(choice.why, "two-level"));
    CHECK(choice.plan->shares == most_shares);
    CHECK(topology::problem_of(*choice.plan, job, most_shares) == "");
    std::vector<int> sources(at(members));  // that each member reduces: nobody far more than others
    for (const topology::Tree& tree : choice.plan->nodes[0].trees)
      for (const int parent : tree.parent)
        if (parent >= 0) ++sources[at(parent)];
    CHECK(std::ranges::max(sources) <= 2 * 16 + 16);
  }
}

TEST_CASE("rank_view: builders can be forced on hosts, and names are known") {
  const topology::JobShape job{std::vector<int>(6, 0), {}};
  Config config;
  for (const char* builder : {"two-level", "chain", "star", "packed", "binomial"}) {
    config.builder = builder;
    const PlanChoice choice = choose(job, bound_to(two_numa_domains, true, {0, 0, 0, 4, 4, 4}), config);
    CAPTURE(builder);
    CHECK(choice.problem.ok());
    CHECK(choice.plan.has_value() == (config.builder != "star"));
    CHECK(mentions(choice.why, builder));
    if (choice.plan) CHECK(topology::problem_of(*choice.plan, job, most_shares) == "");
  }
}

TEST_CASE("rank_view: what ranks say is wrong is said once, with their numbers") {
  const topology::JobShape job{{0, 0, 1, 1}, {}};
  std::vector<RankView> views(4);
  for (const int rank : {1, 2, 3}) views[at(rank)].problem = "\"x\" is not used: broken";
  views[0] = view_of(cycle_of_8, true);
  views[0].remark = "\"file\": odd";
  const PlanChoice choice = choose(job, views);
  REQUIRE(choice.plan);
  REQUIRE(choice.warnings.size() == 2);
  CHECK(choice.warnings[0] == "topology (TREERING_TOPOLOGY) \"x\" is not used: broken (rank(s) 1-3)");
  CHECK(choice.warnings[1] == "topology (TREERING_TOPOLOGY) \"file\": odd");
}
