#include <doctest/doctest.h>

#include <random>
#include <set>

#include "controller/controller.h"
#include "controller/rank_set.h"
#include "controller/request_check.h"
#include "controller/subtree.h"
#include "controller/usage.h"

using namespace treering;
using namespace treering::controller;

namespace {

std::set<int> members(const RankSet& ranks) {
  std::set<int> all;
  for (const RankSet::Range& range : ranks.ranges())
    for (int rank = range.first; rank <= range.last; ++rank) all.insert(rank);
  return all;
}

}  // namespace

TEST_CASE("rank sets behave like sets") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 300; ++round) {
    RankSet left, right;
    std::set<int> plain_left, plain_right;
    for (int i = 0; i < 12; ++i) {
      const int a = static_cast<int>(random() % 30), b = static_cast<int>(random() % 30);
      left.add(a);
      plain_left.insert(a);
      if (i % 3 == 0) continue;
      right.add(RankSet::span(b, b + 2));
      for (const int rank : {b, b + 1, b + 2}) plain_right.insert(rank);
    }
    CHECK(members(left) == plain_left);
    CHECK(members(right) == plain_right);
    CHECK(left.count() == static_cast<std::int64_t>(plain_left.size()));
    std::set<int> rest, both = plain_left;
    for (const int rank : plain_left)
      if (plain_right.count(rank) == 0) rest.insert(rank);
    both.insert(plain_right.begin(), plain_right.end());
    CHECK(members(left.without(right)) == rest);
    CHECK(left.intersects(right) == (rest.size() < plain_left.size()));
    CHECK(right.contains(left) == rest.empty());
    RankSet sum = left;
    sum.add(right);
    CHECK(members(sum) == both);
    for (std::size_t i = 1; i < sum.ranges().size(); ++i) CHECK(sum.ranges()[i].first > sum.ranges()[i - 1].last + 1);
    for (int rank = -1; rank < 34; ++rank) CHECK(sum.contains(rank) == (both.count(rank) == 1));
  }
}

TEST_CASE("rank sets in words") {
  RankSet ranks = RankSet::of(3);
  CHECK(ranks.text() == "rank 3");
  ranks.add(RankSet::span(5, 9));
  ranks.add(11);
  ranks.add(12);
  CHECK(ranks.text() == "ranks 3, 5-9, 11, 12");
  CHECK(ranks.text(1) == "ranks 3 and 7 more");
  CHECK(RankSet().text() == "no rank");
}

TEST_CASE("local ranks hang under their leader, leaders in a tree; subtrees partition the job") {
  for (const auto& node_of : std::vector<std::vector<int>>{
           {0}, {0, 0, 0}, {0, 1, 0, 1}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 3}, {0, 0, 1, 2, 2, 2, 1, 0}}) {
    for (const int fanout : {1, 2, 3, 8}) {
      transport::World world;
      world.size = static_cast<int>(node_of.size());
      world.node_of = node_of;
      for (int rank = 0; rank < world.size; ++rank) {
        const Neighbours mine = neighbours_of(world, rank, fanout);
        CHECK((mine.parent < 0) == (rank == 0));
        const auto slots = slots_of(world, rank, fanout);
        REQUIRE(slots.size() == mine.children.size() + 1);
        RankSet below;
        std::int64_t count = 0;
        for (std::size_t i = 0; i < slots.size(); ++i) {
          if (i > 0) CHECK(slots[i].contains(mine.children[i - 1]));
          below.add(slots[i]);
          count += slots[i].count();
        }
        CHECK(below.count() == count);
        if (rank == 0) CHECK(below == RankSet::all(world.size));
        for (std::size_t i = 0; i < mine.children.size(); ++i) {
          CHECK(neighbours_of(world, mine.children[i], fanout).parent == rank);
          RankSet theirs;
          for (const RankSet& slot : slots_of(world, mine.children[i], fanout)) theirs.add(slot);
          CHECK(theirs == slots[i + 1]);
        }
      }
    }
  }
}

TEST_CASE("definitions used once go before those used often, the least recent first, never those on their way") {
  Usage usage(3);
  for (const DefinitionId id : {1U, 2U, 3U}) {
    usage.ready(id);
    usage.finished(id);
  }
  usage.ready(1);
  usage.finished(1);
  CHECK(usage.surplus().empty());
  usage.ready(4);
  CHECK(usage.surplus() == std::vector<DefinitionId>{2});
  usage.ready(2);
  CHECK(usage.surplus() == std::vector<DefinitionId>{3});
  usage.remove(3);
  CHECK(usage.surplus().empty());
  usage.finished(4);
  usage.finished(2);
  usage.ready(5);
  CHECK(usage.surplus() == std::vector<DefinitionId>{4});
  usage.remove(4);
  usage.ready(6);
  CHECK(usage.surplus() == std::vector<DefinitionId>{1});
}

TEST_CASE("what cannot be a request is told why") {
  const auto problem = [](auto change) {
    Request request;
    request.tensors = {{"a", DataType::f32, {3}}};
    change(request);
    return problem_with(request, 4);
  };
  CHECK(problem([](Request&) {}).empty());
  CHECK(problem([](Request& r) { r.tensors[0].shape = {}; }).empty());
  CHECK(problem([](Request& r) { r.root = 4; }).find("root 4") != std::string::npos);
  CHECK_FALSE(problem([](Request& r) { r.root = -1; }).empty());
  CHECK_FALSE(problem([](Request& r) { r.tensors.clear(); }).empty());
  CHECK_FALSE(problem([](Request& r) { r.kind = OperationKind::barrier; }).empty());
  CHECK_FALSE(problem([](Request& r) { r.prescale = 0.0 / 0.0; }).empty());
  CHECK_FALSE(problem([](Request& r) { r.kind = static_cast<OperationKind>(9); }).empty());
  CHECK_FALSE(problem([](Request& r) { r.op = static_cast<ReduceOp>(9); }).empty());
  CHECK_FALSE(problem([](Request& r) { r.tensors[0].type = static_cast<DataType>(9); }).empty());
  CHECK_FALSE(problem([](Request& r) { r.tensors[0].name.assign(longest_name + 1, 'x'); }).empty());
  CHECK_FALSE(problem([](Request& r) {
                r.kind = OperationKind::broadcast;
                r.tensors.push_back({"b", DataType::f32, {1}});
              }).empty());
}
