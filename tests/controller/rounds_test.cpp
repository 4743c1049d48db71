#include <doctest/doctest.h>

#include <algorithm>

#include "controller/round_cutter.h"
#include "tests/controller/cluster.h"

using namespace treering;
using namespace treering::controller;
using namespace treering::controller::test;

namespace {

Tunables limits(std::uint64_t window, std::uint64_t batch, std::uint64_t piece) {
  Tunables tunables;
  tunables.window = window;
  tunables.batch_limit = batch;
  tunables.piece_limit = piece;
  return tunables;
}

std::vector<DefinitionId> ids(const std::optional<RoundEntry>& round) {
  std::vector<DefinitionId> ids;
  if (round)
    for (const Piece& piece : round->pieces) ids.push_back(piece.id);
  return ids;
}

}  // namespace

TEST_CASE("an idle network takes everything up to the window at once") {
  RoundCutter cutter(limits(1000, 100, 1 << 20));
  for (DefinitionId id = 1; id <= 4; ++id) cutter.add(id, 400, 0, false);
  const auto first = cutter.next();
  CHECK(ids(first) == std::vector<DefinitionId>{1, 2, 3});
  CHECK(first->reason == CutReason::drained);
  CHECK(cutter.under_way() == 1200);
  CHECK_FALSE(cutter.next());
  cutter.executed(200);
  CHECK_FALSE(cutter.next());
  cutter.executed(1);
  const auto second = cutter.next();
  CHECK(ids(second) == std::vector<DefinitionId>{4});
  CHECK(second->reason == CutReason::window);
  cutter.executed(1 << 20);
  cutter.add(5, 1, 0, false);
  CHECK(cutter.next()->reason == CutReason::idle);
  CHECK(cutter.empty());
}

TEST_CASE("priority first, then readiness") {
  RoundCutter cutter(limits(1 << 20, 100, 1 << 20));
  cutter.add(1, 400, 0, false);
  cutter.add(2, 10, 0, false);
  cutter.add(3, 10, 5, false);
  cutter.add(4, 400, 5, false);
  cutter.add(5, 10, -1, false);
  CHECK(ids(cutter.next()) == std::vector<DefinitionId>{3, 4, 1, 2, 5});
}

TEST_CASE("small ones go beside a full window, up to the batch limit, and not for ever") {
  RoundCutter cutter(limits(1000, 100, 1 << 20));
  cutter.add(1, 5000, 0, false);
  cutter.add(2, 5000, 0, false);
  CHECK(ids(cutter.next()) == std::vector<DefinitionId>{1});
  cutter.add(3, 60, 0, false);
  CHECK(ids(cutter.next()) == std::vector<DefinitionId>{3});
  cutter.add(4, 60, 0, false);
  CHECK_FALSE(cutter.next());
  cutter.add(5, 0, 1, false);
  CHECK(ids(cutter.next()) == std::vector<DefinitionId>{5});
  cutter.executed(60);
  CHECK(ids(cutter.next()) == std::vector<DefinitionId>{4});
  CHECK(cutter.size() == 1);
}

TEST_CASE("long ones go in pieces of aligned bytes, with something urgent between") {
  RoundCutter cutter(limits(100, 50, 130));  // pieces of 128
  cutter.add(1, 300, 0, true);
  const auto first = cutter.next();
  REQUIRE(first->pieces.size() == 1);
  CHECK(first->pieces[0].begin == 0);
  CHECK(first->pieces[0].end == 128);
  cutter.add(2, 500, 9, false);
  cutter.executed(128);
  CHECK(ids(cutter.next()) == std::vector<DefinitionId>{2});
  cutter.executed(500);
  const auto second = cutter.next();
  CHECK(second->pieces[0].begin == 128);
  CHECK(second->pieces[0].end == 256);
  cutter.executed(128);
  const auto third = cutter.next();
  CHECK(third->pieces[0].end == 300);
  CHECK(cutter.empty());
}

TEST_CASE("an urgent tensor goes between the pieces of a long one on every rank") {
  Cluster::Options options = Cluster::flat(3);
  options.execute = false;
  options.tunables = limits(1024, 64, 1024);
  Cluster cluster(options);
  const auto bulk = cluster.request_everywhere(allreduce("bulk", 1000));
  cluster.settle();
  Request urgent = allreduce("urgent", 500);
  urgent.priority = 3;
  const auto fast = cluster.request_everywhere(urgent);
  cluster.settle();
  for (int i = 0; i < 8; ++i) {
    cluster.execute(1024);
    cluster.settle();
  }
  for (int rank = 0; rank < 3; ++rank) {
    const auto& slow = cluster.outcome(rank, bulk[static_cast<std::size_t>(rank)]);
    const auto& quick = cluster.outcome(rank, fast[static_cast<std::size_t>(rank)]);
    CHECK(slow.complete);
    CHECK(quick.complete);
    CHECK(slow.deliveries.size() == 4);
    CHECK(quick.deliveries.back().round > slow.deliveries.front().round);
    CHECK(quick.deliveries.back().round < slow.deliveries.back().round);
  }
  cluster.check_endings();
}

TEST_CASE("bundles and broadcasts stay whole, barriers and empty tensors pass a full window") {
  Cluster::Options options = Cluster::flat(2);
  options.execute = false;
  options.tunables = limits(64, 16, 64);
  Cluster cluster(options);
  Request weights = allreduce("w", 1000);
  weights.kind = OperationKind::broadcast;
  const auto whole = cluster.request_everywhere(weights);
  cluster.request_everywhere(bundle({"a", "b"}, 1000));
  cluster.settle();
  const auto meeting = cluster.request_everywhere(barrier("meeting"));
  const auto nothing = cluster.request_everywhere(allreduce("nothing", 0));
  cluster.settle();
  CHECK(cluster.outcome(0, whole[0]).deliveries.size() == 1);
  CHECK(cluster.succeeded(1, meeting[1]));
  CHECK(cluster.succeeded(1, nothing[1]));
  cluster.execute(4000);
  cluster.settle();
  cluster.check_endings();
}
