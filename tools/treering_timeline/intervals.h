#pragma once

#include <vector>

#include "tools/treering_timeline/model.h"

namespace treering::tools {

/// Sorted, and joined where they overlap or touch. Unknown ones are dropped.
std::vector<Interval> united(std::vector<Interval> intervals);

/// Of intervals that do not overlap.
Nanoseconds total(const std::vector<Interval>& intervals);

/// What lies in `window`. Both lists are united.
std::vector<Interval> clipped(const std::vector<Interval>& intervals, Interval window);

/// What lies in `from` and not in `without`. Both lists are united.
std::vector<Interval> difference(const std::vector<Interval>& from, const std::vector<Interval>& without);

/// The value in the middle, the lower one of two. Unknown if there is none.
Nanoseconds lower_median(std::vector<Nanoseconds> values);

/// `part` from 0 to 1; the nearest value. Unknown if there is none.
Nanoseconds quantile(std::vector<Nanoseconds> values, double part);

}  // namespace treering::tools
