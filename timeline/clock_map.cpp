#include "timeline/clock_map.h"

#include <algorithm>
#include <cmath>

namespace treering::timeline {

namespace {

Nanoseconds part_of(Nanoseconds time, std::int64_t ppb) {
  return static_cast<Nanoseconds>(std::llround(static_cast<double>(time) * static_cast<double>(ppb) * 1e-9));
}

/// The first point that is not before `local`.
auto point_after(const std::vector<ClockPoint>& points, Nanoseconds local) {
  return std::ranges::lower_bound(points, local, {}, &ClockPoint::local);
}

}  // namespace

ClockPoint clock_point(const Record& record) {
  return {record.time, record.signed_value(0), record.signed_value(1), record.signed_value(2)};
}

ClockMap::ClockMap(std::vector<ClockPoint> points) : points_(std::move(points)) {
  std::ranges::stable_sort(points_, {}, &ClockPoint::local);
}

Nanoseconds ClockMap::offset_at(Nanoseconds local) const {
  if (points_.empty()) return 0;
  const auto after = point_after(points_, local);
  if (after == points_.begin() || after == points_.end()) {
    const ClockPoint& nearest = after == points_.end() ? points_.back() : *after;
    return nearest.offset + part_of(local - nearest.local, nearest.drift_ppb);
  }
  const ClockPoint& before = *(after - 1);
  const double share = static_cast<double>(local - before.local) /
                       static_cast<double>(std::max<Nanoseconds>(1, after->local - before.local));
  return before.offset +
         static_cast<Nanoseconds>(std::llround(share * static_cast<double>(after->offset - before.offset)));
}

Nanoseconds ClockMap::error_at(Nanoseconds local) const {
  if (points_.empty()) return 0;
  const auto after = point_after(points_, local);
  const auto seen_from = [local](const ClockPoint& point) {
    return point.error == 0 ? 0 : point.error + part_of(std::abs(local - point.local), loosening_ppb);
  };
  if (after == points_.begin()) return seen_from(*after);
  if (after == points_.end()) return seen_from(points_.back());
  return std::min(seen_from(*(after - 1)), seen_from(*after));
}

}  // namespace treering::timeline
