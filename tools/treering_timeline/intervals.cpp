#include "tools/treering_timeline/intervals.h"

#include <algorithm>

namespace treering::tools {

std::vector<Interval> united(std::vector<Interval> intervals) {
  std::erase_if(intervals, [](const Interval& interval) { return !interval.known(); });
  std::sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  std::vector<Interval> joined;
  for (const Interval& interval : intervals) {
    if (!joined.empty() && interval.begin <= joined.back().end) {
      joined.back().end = std::max(joined.back().end, interval.end);
    } else {
      joined.push_back(interval);
    }
  }
  return joined;
}

Nanoseconds total(const std::vector<Interval>& intervals) {
  Nanoseconds sum = 0;
  for (const Interval& interval : intervals) sum += interval.length();
  return sum;
}

std::vector<Interval> clipped(const std::vector<Interval>& intervals, Interval window) {
  std::vector<Interval> inside;
  auto at = std::lower_bound(intervals.begin(), intervals.end(), window.begin,
                             [](const Interval& interval, Nanoseconds begin) { return interval.end <= begin; });
  for (; at != intervals.end() && at->begin < window.end; ++at)
    inside.push_back({std::max(at->begin, window.begin), std::min(at->end, window.end)});
  return inside;
}

std::vector<Interval> difference(const std::vector<Interval>& from, const std::vector<Interval>& without) {
  std::vector<Interval> left;
  auto hole = without.begin();
  for (Interval rest : from) {
    while (hole != without.end() && hole->end <= rest.begin) ++hole;
    for (auto next = hole; next != without.end() && next->begin < rest.end; ++next) {
      if (next->begin > rest.begin) left.push_back({rest.begin, next->begin});
      rest.begin = std::min(next->end, rest.end);
    }
    if (rest.begin < rest.end) left.push_back(rest);
  }
  return left;
}

Nanoseconds lower_median(std::vector<Nanoseconds> values) {
  if (values.empty()) return unknown;
  const auto middle = values.begin() + (static_cast<std::ptrdiff_t>(values.size()) - 1) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Nanoseconds quantile(std::vector<Nanoseconds> values, double part) {
  if (values.empty()) return unknown;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace treering::tools
