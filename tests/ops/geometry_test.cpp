#include "ops/geometry.h"

#include <doctest/doctest.h>

#include "ops/area.h"
#include "ops/arithmetic.h"
#include "ops/path.h"

using namespace treering;
using namespace treering::ops;

TEST_CASE("geometry: shares cover the batch at multiples of 64, nearly equal, with equal numbers of chunks") {
  for (const int nodes : {1, 2, 3})
    for (const int shares : {1, 2, 3, 5}) {
      topology::Plan plan =
          topology::star_plan(std::vector<int>(static_cast<std::size_t>(shares), 0), 16, 4096, 1 << 16);
      plan.nodes.resize(static_cast<std::size_t>(nodes), plan.nodes.front());
      const Geometry geometry = geometry_of(plan);
      for (const std::uint64_t bytes : {1ULL, 64ULL, 65ULL, 4097ULL, 100'000ULL, (1ULL << 33) + 5}) {
        const Sharing sharing = share_out(geometry, bytes);
        std::uint64_t at = 0;
        for (int share = 0; share < sharing.active; ++share) {
          const Range range = sharing.range(share);
          CHECK(range.begin == at);
          CHECK(range.begin % 64 == 0);
          CHECK(range.end > range.begin);
          CHECK(range.end - range.begin <= bytes / static_cast<std::uint64_t>(sharing.active) + 128);
          CHECK(range.end_of(range.chunks - 1) == range.end);
          at = range.end;
        }
        CHECK(at == bytes);
      }
    }
}

TEST_CASE("geometry: weighted shares lie where their weights put them, whatever the node") {
  const std::vector<std::vector<std::uint32_t>> weightings{
      {7, 1, 16}, {1, 1, 1}, {1, 1000, 3}, {1u << 30, 1, (1u << 30) - 1}, {2, 3, 65536}};
  for (const std::vector<std::uint32_t>& weights : weightings)
    for (const int nodes : {1, 3}) {
      topology::Plan plan = topology::star_plan({0, 0, 0}, 16, 4096, 1 << 16);
      plan.nodes.resize(static_cast<std::size_t>(nodes), plan.nodes.front());
      plan.weights = weights;
      const Geometry geometry = geometry_of(plan);
      std::uint64_t all = 0;
      for (const std::uint32_t weight : weights) all += weight;
      for (const std::uint64_t bytes : {1ULL, 65ULL, 4097ULL, 100'001ULL, 7'777'777ULL, (1ULL << 46) + 5}) {
        const Sharing sharing = share_out(geometry, bytes);
        std::uint64_t at = 0, before = 0;
        for (int share = 0; share < sharing.active; ++share) {
          const Range range = sharing.range(share);
          CHECK(range.begin == at);
          CHECK((range.begin % 64 == 0 || range.begin == bytes));
          CHECK(range.chunk % 64 == 0);
          CHECK(range.chunk <= geometry.chunk);
          CHECK(range.chunks == sharing.chunks);
          CHECK(range.end_of(range.chunks - 1) == range.end);
          at = range.end;
          before += weights[static_cast<std::size_t>(share)];
          if (sharing.active < 3) continue;
          const long double exact = static_cast<long double>(bytes) * before / all;
          CHECK(static_cast<long double>(at) >= exact - 64);
          CHECK(static_cast<long double>(at) <= exact + 64);
        }
        CHECK(at == bytes);
      }
    }
}

TEST_CASE("geometry: regions do not overlap and stay within the slots") {
  for (const std::vector<int>& node_of : {std::vector<int>{0, 0, 0}, {0, 0, 0, 1}, {0, 1, 2, 3, 4, 5, 6, 7, 8}})
    for (const std::uint64_t slot : {64U, 5000U, 1U << 20}) {
      const Geometry geometry = geometry_of(topology::star_plan(node_of, 16, 256 * 1024, slot));
      CHECK(geometry.chunk % 64 == 0);
      CHECK(geometry.chunk > 0);
      const int regions = geometry.shares * (geometry.nodes > 1 ? 2 : 1);
      for (int region = 0; region < regions; ++region) {
        const Region own = geometry.tree_region(region);
        CHECK(own.offset + own.depth * own.stride <=
              (region + 1 < regions ? geometry.tree_region(region + 1).offset : geometry.slot_bytes));
      }
      const Region last = geometry.nodes > 1 ? geometry.relay_region() : geometry.feed_region();
      CHECK(last.offset + last.depth * last.stride <= geometry.slot_bytes);
    }
}

TEST_CASE("area: nothing overlaps") {
  Tunables tunables;
  tunables.lanes = 3;
  tunables.slot_bytes = 10'000;
  const topology::Plan plan = topology::star_plan({0, 0, 1}, 16, 4096, tunables.slot_bytes);
  const Geometry geometry = geometry_of(plan);
  const AreaLayout layout(geometry, tunables);
  std::vector<std::byte> memory(layout.bytes());
  std::byte* const area = memory.data();
  for (std::uint32_t lane = 0; lane < 3; ++lane) {
    const std::byte* after = lane < 2 ? layout.counters(area, lane + 1) : layout.board(area, 0);
    CHECK(layout.counters(area, lane) + geometry.counters().count() * AreaLayout::line == after);
    CHECK(layout.slots(area, lane) + geometry.slot_bytes <=
          (lane < 2 ? layout.slots(area, lane + 1) : area + layout.bytes()));
    CHECK((layout.slots(area, lane) - area) % 4096 == 0);
  }
  CHECK(layout.counters(area, 0) == area + AreaLayout::line);
  CHECK(layout.board(area, 2) < layout.slots(area, 0));
}

TEST_CASE("path: decided by what all members know, else by the addresses") {
  const Geometry one = geometry_of(topology::star_plan({0, 0}, 16, 4096, 1 << 16));
  const Geometry two = geometry_of(topology::star_plan({0, 0, 1}, 16, 4096, 1 << 16));
  BatchShape shape;
  shape.bytes = 100;
  CHECK(choose_path(shape, one, 2, 1, 100).path == PathClass::one_shot);
  CHECK(choose_path(shape, two, 2, 1, 100).path == PathClass::staged);
  CHECK_FALSE(choose_path(shape, two, 2, 1, 100).depends_on_memory);
  CHECK(choose_path(shape, one, 2, 1, 99).depends_on_memory);
  CHECK_FALSE(choose_path(shape, one, 2, most_posted_segments + 1, 99).depends_on_memory);
  CHECK_FALSE(choose_path(shape, two, 1, 1, 0).depends_on_memory);
  shape.kind = OperationKind::broadcast;
  CHECK_FALSE(choose_path(shape, one, 2, 1, 0).depends_on_memory);
}

TEST_CASE("arithmetic: factors go where the rules put them") {
  using device::Finish;
  BatchShape shape;
  shape.op = ReduceOp::average;
  CHECK(arithmetic_of(shape, 4).node == Finish::scale);
  CHECK(arithmetic_of(shape, 4).plain.scale == 0.25);
  CHECK(arithmetic_of(shape, 1).node == Finish::none);
  shape.type = DataType::i32;
  CHECK(arithmetic_of(shape, 4).last == Finish::divide);
  CHECK(arithmetic_of(shape, 4).at_root(false) == Finish::none);
  CHECK(arithmetic_of(shape, 4).at_root(true) == Finish::divide);
  shape.type = DataType::f16;
  shape.op = ReduceOp::max;
  shape.postscale = 3.0;
  CHECK(arithmetic_of(shape, 4).node == Finish::none);
  CHECK(arithmetic_of(shape, 4).last == Finish::scale);
}
