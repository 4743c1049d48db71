#include <doctest/doctest.h>

#include "timeline/clock_map.h"

using namespace treering;
using namespace treering::timeline;

TEST_CASE("clock_map: without points both clocks are one") {
  const ClockMap map({});
  CHECK(map.to_reference(12345) == 12345);
  CHECK(map.error_at(12345) == 0);
}

TEST_CASE("clock_map: straight lines between points, the latest drift beyond them") {
  const ClockMap map({{2'000'000'000, 900, 10, 100}, {1'000'000'000, 500, 20, -50}, {3'000'000'000, 700, 30, 40}});
  CHECK(map.offset_at(1'000'000'000) == 500);
  CHECK(map.offset_at(1'500'000'000) == 700);
  CHECK(map.offset_at(2'000'000'000) == 900);
  CHECK(map.offset_at(2'250'000'000) == 850);
  CHECK(map.offset_at(0) == 460);
  CHECK(map.offset_at(9'000'000'000) == 940);
  CHECK(map.to_reference(1'500'000'000) == 1'500'000'700);
}

TEST_CASE("clock_map: the error is between those of the neighbours and grows away from them") {
  const ClockMap map({{0, 0, 1000, 0}, {1'000'000'000, 0, 5000, 7}});
  CHECK(map.error_at(0) == 1000);
  CHECK(map.error_at(500'000'000) == 3000 + 10'000);
  CHECK(map.error_at(1'000'000'000) == 5000);
  CHECK(map.error_at(2'000'000'000) == 25'000);
  CHECK(map.error_at(-1'000'000) == 1020);
  CHECK(ClockMap({{0, 0, 1000, 0}}).error_at(1'000'000'000) == 201'000);  // nothing is known of the drift
}

TEST_CASE("clock_map: a bad first point is left out once there are good ones") {
  const ClockMap map({{0, 5'000'000, 1'000'000'000, 0}, {1'000'000'000, 100, 2000, 0}, {2'000'000'000, 300, 3000, 0}});
  CHECK(map.offset_at(0) == 100);
  CHECK(map.offset_at(1'500'000'000) == 200);
  CHECK(ClockMap({{0, 5'000'000, 1'000'000'000, 0}}).offset_at(77) == 5'000'000);
}

TEST_CASE("clock_map: one clock for all needs no error") {
  const ClockMap map({{0, 0, 0, 0}});
  CHECK(map.error_at(1'000'000'000'000) == 0);
}

TEST_CASE("clock_map: a point comes back from its record") {
  Record record{Kind::clock, 0, 77};
  record.values = {static_cast<std::uint64_t>(-5), 6, static_cast<std::uint64_t>(-7), 8};
  const ClockPoint point = clock_point(record);
  CHECK(point.local == 77);
  CHECK(point.offset == -5);
  CHECK(point.error == 6);
  CHECK(point.drift_ppb == -7);
}
