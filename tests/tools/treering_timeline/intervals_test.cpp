#include "tools/treering_timeline/intervals.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <utility>

using namespace treering::tools;
using treering::Nanoseconds;

namespace {

bool operator==(const std::vector<Interval>& a, const std::vector<std::pair<int, int>>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t at = 0; at < a.size(); ++at)
    if (a[at].begin != b[at].first || a[at].end != b[at].second) return false;
  return true;
}

/// Moments 0 to 99 that are covered.
std::vector<bool> covered(const std::vector<Interval>& intervals) {
  std::vector<bool> moments(100);
  for (const Interval& interval : intervals)
    for (auto moment = interval.begin; moment < interval.end; ++moment)
      moments[static_cast<std::size_t>(moment)] = true;
  return moments;
}

}  // namespace

TEST_CASE("intervals: union, window and difference of simple ones") {
  const auto one = united({{5, 9}, {1, 3}, {2, 4}, {9, 10}, {unknown, 7}, {8, 3}});
  CHECK(one == std::vector<std::pair<int, int>>{{1, 4}, {5, 10}});
  CHECK(total(one) == 8);
  CHECK(clipped(one, {3, 6}) == std::vector<std::pair<int, int>>{{3, 4}, {5, 6}});
  CHECK(clipped(one, {4, 5}).empty());
  CHECK(difference(one, united({{0, 2}, {6, 7}, {9, 20}})) == std::vector<std::pair<int, int>>{{2, 4}, {5, 6}, {7, 9}});
  CHECK(difference({}, one).empty());
}

TEST_CASE("intervals: random ones agree with counting moments") {
  std::mt19937 random(3);
  const auto some = [&random] {
    std::vector<Interval> intervals;
    for (unsigned i = random() % 8; i > 0; --i) {
      const auto begin = static_cast<Nanoseconds>(random() % 100);
      intervals.push_back({begin, std::min<Nanoseconds>(100, begin + static_cast<Nanoseconds>(random() % 20))});
    }
    return intervals;
  };
  for (int turn = 0; turn < 1000; ++turn) {
    const auto first = some();
    const auto second = some();
    const auto left = difference(united(first), united(second));
    const auto in_first = covered(first);
    const auto in_second = covered(second);
    const auto in_left = covered(left);
    for (std::size_t moment = 0; moment < 100; ++moment)
      REQUIRE(in_left[moment] == (in_first[moment] && !in_second[moment]));
    REQUIRE(covered(united(first)) == in_first);
  }
}

TEST_CASE("intervals: medians and quantiles") {
  CHECK(lower_median({4, 1, 3, 2}) == 2);
  CHECK(lower_median({5}) == 5);
  CHECK(lower_median({}) == unknown);
  CHECK(quantile({1, 2, 3, 4, 5}, 0.95) == 5);
  CHECK(quantile({1, 2, 3, 4, 5}, 0) == 1);
}
