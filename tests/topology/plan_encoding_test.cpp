#include "topology/plan_encoding.h"

#include <doctest/doctest.h>

#include <random>
#include <set>

using namespace treering;
using namespace treering::topology;

namespace {

constexpr int most = 16;
const JobShape job{{0, 1, 0, 0, 1, 2}, {}};

/// Chains, binary trees and single members, several trees with one root, nodes of different size.
Plan odd_plan() {
  Plan plan;
  plan.shares = 3;
  plan.chunk_bytes = 4096;
  plan.slot_bytes = 65536 * 3;
  plan.nodes = {{{0, 2, 3}, {{0, {-1, 0, 1}}, {2, {1, 2, -1}}, {2, {2, 2, -1}}}},
                {{1, 4}, {{1, {1, -1}}, {0, {-1, 0}}, {1, {1, -1}}}},
                {{5}, {{0, {-1}}, {0, {-1}}, {0, {-1}}}}};
  return plan;
}

Plan uneven_plan() {
  Plan plan = odd_plan();
  plan.weights = {7, 70'000, 1};
  return plan;
}

Plan plan_apart() {
  Plan plan = odd_plan();
  plan.nodes[0].reduce_trees = {{0, {-1, 2, 0}}, {2, {2, 2, -1}}, {2, {1, 2, -1}}};
  return plan;
}

Bytes encoded(const Plan& plan) {
  ByteWriter writer;
  encode(plan, writer);
  return writer.take();
}

DecodedPlan decoded(const Bytes& bytes) {
  ByteReader reader(bytes);
  DecodedPlan result = decode_plan(reader, job, most);
  if (result.plan && !reader.at_end()) return {std::nullopt, "more than a plan"};
  return result;
}

template <class Change>
std::string problem_after(Change change) {
  Plan plan = odd_plan();
  change(plan);
  std::string problem = problem_of(plan, job, most);
  CHECK_FALSE(problem.empty());
  return problem;
}

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("plan_encoding: plans come back") {
  CHECK(problem_of(odd_plan(), job, most) == "");
  for (const Plan& plan : {odd_plan(), uneven_plan(), plan_apart(), star_plan(job, 2, 128, 65536)}) {
    const DecodedPlan back = decoded(encoded(plan));
    CHECK(back.problem == "");
    REQUIRE(back.plan);
    CHECK(encoded(*back.plan) == encoded(plan));
    CHECK(stable_hash(*back.plan) == stable_hash(plan));
    CHECK(back.plan->shares == plan.shares);
    CHECK(back.plan->weights == plan.weights);
    CHECK(back.plan->chunk_bytes == plan.chunk_bytes);
    CHECK(back.plan->slot_bytes == plan.slot_bytes);
    REQUIRE(back.plan->nodes.size() == plan.nodes.size());
    for (std::size_t node = 0; node < plan.nodes.size(); ++node) {
      CHECK(back.plan->nodes[node].ranks == plan.nodes[node].ranks);
      REQUIRE(back.plan->nodes[node].reduce_trees.size() == plan.nodes[node].reduce_trees.size());
      for (std::size_t share = 0; share < plan.nodes[node].reduce_trees.size(); ++share)
        CHECK(back.plan->nodes[node].reduce_trees[share].parent == plan.nodes[node].reduce_trees[share].parent);
      REQUIRE(back.plan->nodes[node].trees.size() == plan.nodes[node].trees.size());
      for (std::size_t share = 0; share < plan.nodes[node].trees.size(); ++share) {
        CHECK(back.plan->nodes[node].trees[share].root == plan.nodes[node].trees[share].root);
        CHECK(back.plan->nodes[node].trees[share].parent == plan.nodes[node].trees[share].parent);
      }
    }
  }
}

TEST_CASE("plan_encoding: cut messages and other versions are refused") {
  const Bytes whole = encoded(uneven_plan());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const DecodedPlan cut = decoded(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
    CHECK_FALSE(cut.plan);
    CHECK_FALSE(cut.problem.empty());
  }
  Bytes other = whole;
  other[0] ^= std::byte{3};
  CHECK(mentions(decoded(other).problem, "version"));
}

TEST_CASE("plan_encoding: what is no plan for this job is refused, by name") {
  CHECK(mentions(problem_after([](Plan& p) { p.shares = 4; }), "3 trees for 4 shares"));
  CHECK(mentions(problem_after([](Plan& p) { p.shares = 0; }), "0 shares"));
  CHECK(mentions(problem_after([](Plan& p) { p.shares = 17; }), "17 shares"));
  CHECK(mentions(problem_after([](Plan& p) { p.weights = {1, 2}; }), "2 weights for 3 shares"));
  CHECK(mentions(problem_after([](Plan& p) { p.weights = {1, 0, 2}; }), "weight 0"));
  CHECK(mentions(problem_after([](Plan& p) { p.weights = {1u << 31, 1, 1}; }), "sum to 2147483650"));
  CHECK(mentions(problem_after([](Plan& p) { p.nodes[1].trees.pop_back(); }), "node 1 has 2 trees"));
  CHECK(mentions(problem_after([](Plan& p) { p.nodes.pop_back(); }), "5 ranks, the job has 6"));
  CHECK(mentions(problem_after([](Plan& p) { p.nodes.push_back(p.nodes[2]); }), "rank 5 is not on node 3"));
  CHECK(mentions(problem_after([](Plan& p) { p.nodes.push_back({}); }), "node 3 has no ranks"));
  CHECK(mentions(problem_after([](Plan& p) { std::swap(p.nodes[0], p.nodes[1]); }), "rank 1 is not on node 0"));
  CHECK(mentions(problem_after([](Plan& p) { p.nodes[2].ranks[0] = 6; }), "rank 6"));
  CHECK(mentions(problem_after([](Plan& p) { p.nodes[2].ranks[0] = -1; }), "rank -1"));
  CHECK(mentions(problem_after([](Plan& p) { std::swap(p.nodes[0].ranks[0], p.nodes[0].ranks[1]); }), "ascend"));
  CHECK(mentions(problem_after([](Plan& p) { p.nodes[0].ranks[1] = 0; }), "rank 0 has 2 members, but drives 1 device"));
  CHECK(mentions(problem_after([](Plan& p) { p.nodes[0].trees[0].root = 3; }), "root 3"));
  CHECK(mentions(problem_after([](Plan& p) { p.nodes[0].trees[0].root = -1; }), "root -1"));
  CHECK(mentions(problem_after([](Plan& p) { p.nodes[0].trees[0].root = 1; }), "member 0 has parent -1"));
  CHECK(mentions(problem_after([](Plan& p) { p.nodes[0].trees[0].parent[0] = 2; }), "member 0 has parent 2"));
  CHECK(mentions(problem_after([](Plan& p) { p.nodes[0].trees[0].parent[1] = 2; }), "member 1 is not under root 0"));
  CHECK(mentions(problem_after([](Plan& p) { p.nodes[0].trees[0].parent[2] = 2; }), "member 2 is not under root 0"));
  CHECK(mentions(problem_after([](Plan& p) { p.nodes[0].trees[0].parent[2] = 3; }), "parent 3"));
  CHECK(mentions(problem_after([](Plan& p) { p.nodes[0].trees[0].parent[2] = -2; }), "parent -2"));
  CHECK(mentions(problem_after([](Plan& p) { p.nodes[0].trees[0].parent.push_back(0); }), "4 members"));
  CHECK(mentions(problem_after([](Plan& p) { p.chunk_bytes = 100; }), "chunks of 100"));
  CHECK(mentions(problem_after([](Plan& p) { p.chunk_bytes = 0; }), "chunks of 0"));
  CHECK(mentions(problem_after([](Plan& p) { p.slot_bytes = ~63ULL; }), "slots of"));
  const auto problem_apart = [](auto change) {
    Plan plan = plan_apart();
    change(plan);
    return problem_of(plan, job, most);
  };
  CHECK(problem_apart([](Plan&) {}) == "");
  CHECK(mentions(problem_apart([](Plan& p) { p.nodes[0].reduce_trees.pop_back(); }), "2 trees to reduce along"));
  CHECK(mentions(problem_apart([](Plan& p) { p.nodes[0].reduce_trees[0].parent[0] = 1; }),
                 "node 0: member 0 has parent 1"));
  CHECK(mentions(problem_apart([](Plan& p) { p.nodes[0].reduce_trees[0] = {1, {1, -1, 1}}; }),
                 "reduces share 0 to member 1, but its result starts at member 0"));
  CHECK_FALSE(decoded(encoded(star_plan({0, 0, 0}, 3, 64, 64))).plan);
}

TEST_CASE("plan_encoding: a rank stands once for each of its devices") {
  const JobShape several{{0, 1, 0}, {2, 1, 3}};
  CHECK(several.members() == std::vector<std::vector<int>>{{0, 0, 2, 2, 2}, {1}});
  const Plan plan = star_plan(several, most, 64, 64);
  CHECK(plan.shares == 5);
  CHECK(problem_of(plan, several, most) == "");
  CHECK(mentions(problem_of(plan, JobShape{{0, 1, 0}, {3, 1, 2}}, most), "rank 0 has 2 members, but drives 3"));
  const Bytes bytes = encoded(plan);
  ByteReader reader(bytes);
  const DecodedPlan back = decode_plan(reader, several, most);
  REQUIRE(back.plan);
  CHECK(stable_hash(*back.plan) == stable_hash(plan));
}

TEST_CASE("plan_encoding: whatever garbage is accepted is a plan for this job") {
  std::mt19937_64 random(7);
  const Bytes whole = encoded(uneven_plan());
  int accepted = 0;
  for (int turn = 0; turn < 20'000; ++turn) {
    Bytes garbled = whole;
    for (std::uint64_t change = random() % 3; change < 3; ++change)
      garbled[random() % garbled.size()] = static_cast<std::byte>(random() % (turn % 2 == 0 ? 256 : 6));
    const DecodedPlan result = decoded(garbled);
    CHECK(result.plan.has_value() == result.problem.empty());
    if (!result.plan) continue;
    ++accepted;
    CHECK(problem_of(*result.plan, job, most) == "");
  }
  CHECK(accepted > 0);
  CHECK(accepted < 20'000);
  for (int turn = 0; turn < 2000; ++turn) {
    Bytes noise(random() % 200);
    for (std::byte& byte : noise) byte = static_cast<std::byte>(random());
    if (!noise.empty()) noise[0] = std::byte{2};
    CHECK_FALSE(decoded(noise).plan);
  }
}

TEST_CASE("plan_encoding: a count that the message cannot hold costs no memory") {
  Bytes bytes = encoded(star_plan(job, 2, 64, 64));  // version, chunk, slot, shares and weights take a byte each
  bytes.resize(5);
  bytes.resize(13, std::byte{0x80});
  bytes.push_back(std::byte{0x10});  // 2^60 nodes
  CHECK_FALSE(decoded(bytes).plan);
}

TEST_CASE("plan_encoding: the hash is the same everywhere and tells plans apart") {
  CHECK(stable_hash(odd_plan()) == stable_hash(odd_plan()));
  std::set<std::uint64_t> hashes{stable_hash(odd_plan())};
  Plan plan = odd_plan();
  plan.chunk_bytes += 64;
  hashes.insert(stable_hash(plan));
  plan = odd_plan();
  plan.nodes[0].trees[2].parent[0] = 1;
  hashes.insert(stable_hash(plan));
  plan = odd_plan();
  std::swap(plan.nodes[0].trees[0], plan.nodes[0].trees[1]);
  hashes.insert(stable_hash(plan));
  hashes.insert(stable_hash(uneven_plan()));
  hashes.insert(stable_hash(plan_apart()));
  CHECK(hashes.size() == 6);
  CHECK(stable_hash(star_plan({0}, 1, 64, 64)) == 0xfcd7d4879f15f433ULL);  // by hand
}
