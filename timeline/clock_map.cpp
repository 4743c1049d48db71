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

double share_between(const ClockPoint& before, const ClockPoint& after, Nanoseconds local) {
  const Nanoseconds span = std::max<Nanoseconds>(1, after.local - before.local);
  return static_cast<double>(local - before.local) / static_cast<double>(span);
}

}  // namespace

ClockPoint clock_point(const Record& record) {
  return {record.time, record.signed_value(0), record.signed_value(1), record.signed_value(2)};
}

Record clock_record(const ClockPoint& point, Nanoseconds round_trip) {
  return {Kind::clock,
          0,
          point.local,
          {static_cast<std::uint64_t>(point.offset), static_cast<std::uint64_t>(point.error),
           static_cast<std::uint64_t>(point.drift_ppb), static_cast<std::uint64_t>(round_trip)}};
}

ClockMap::ClockMap(std::vector<ClockPoint> points) : points_(std::move(points)) {
  std::ranges::stable_sort(points_, {}, &ClockPoint::local);
  for (const ClockPoint& point : points_)
    if (point.drift_ppb != 0) drift_ppb_ = point.drift_ppb;
  if (points_.empty()) return;
  constexpr Nanoseconds millisecond = 1'000'000;
  const Nanoseconds best = std::ranges::min_element(points_, {}, &ClockPoint::error)->error;
  const Nanoseconds good = std::max(best, millisecond);
  std::erase_if(points_, [good](const ClockPoint& point) { return point.error / 4 > good; });
}

Nanoseconds ClockMap::offset_at(Nanoseconds local) const {
  if (points_.empty()) return 0;
  const auto after = point_after(points_, local);
  if (after == points_.begin() || after == points_.end()) {
    const ClockPoint& nearest = after == points_.end() ? points_.back() : *after;
    return nearest.offset + part_of(local - nearest.local, drift_ppb_);
  }
  const ClockPoint& before = *(after - 1);
  const double share = share_between(before, *after, local);
  return before.offset +
         static_cast<Nanoseconds>(std::llround(share * static_cast<double>(after->offset - before.offset)));
}

Nanoseconds ClockMap::error_at(Nanoseconds local) const {
  if (points_.empty()) return 0;
  const auto after = point_after(points_, local);
  if (after == points_.begin() || after == points_.end()) {
    const ClockPoint& nearest = after == points_.end() ? points_.back() : *after;
    if (nearest.error == 0) return 0;
    return nearest.error +
           part_of(std::abs(local - nearest.local), drift_ppb_ == 0 ? unknown_drift_ppb : loosening_ppb);
  }
  const ClockPoint& before = *(after - 1);
  if (before.error == 0 && after->error == 0) return 0;
  const double share = share_between(before, *after, local);
  const double straight = (1 - share) * static_cast<double>(before.error) + share * static_cast<double>(after->error);
  const Nanoseconds away = std::min(local - before.local, after->local - local);
  return static_cast<Nanoseconds>(std::llround(straight)) + part_of(away, loosening_ppb);
}

}  // namespace treering::timeline
