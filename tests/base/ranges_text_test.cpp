#include <doctest/doctest.h>

#include <vector>

#include "base/ranges_text.h"

using treering::ranges_text;

TEST_CASE("ranges_text: runs become ranges") {
  CHECK(ranges_text({}) == "none");
  CHECK(ranges_text(std::vector{5}) == "5");
  CHECK(ranges_text(std::vector{5, 6}) == "5-6");
  CHECK(ranges_text(std::vector{0, 1, 2, 3, 7}) == "0-3, 7");
  CHECK(ranges_text(std::vector{1, 3, 5}) == "1, 3, 5");
  CHECK(ranges_text(std::vector{2, 2, 3, 3, 3, 9, 9}) == "2-3, 9");
}

TEST_CASE("ranges_text: bounded, the rest is counted") {
  CHECK(ranges_text(std::vector{1, 3, 5, 6, 8, 8}, 2) == "1, 3 and 3 more");
  CHECK(ranges_text(std::vector{1, 3}, 2) == "1, 3");
  CHECK(ranges_text(std::vector{1, 2, 4}, 0) == "3 in all");
  std::vector<int> scattered;
  for (int rank = 0; rank < 100'000; rank += 2) scattered.push_back(rank);
  CHECK(ranges_text(scattered, 3) == "0, 2, 4 and 49997 more");
}
