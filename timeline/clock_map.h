#pragma once

#include <cstdint>
#include <vector>

#include "timeline/spool_format.h"

namespace treering::timeline {

/// What is known about two clocks at one moment: reference = local + offset, give or take the error.
struct ClockPoint {
  Nanoseconds local = 0;
  Nanoseconds offset = 0;
  Nanoseconds error = 0;
  std::int64_t drift_ppb = 0;  ///< how much faster the reference runs, in parts per billion
};

/// Between a point and the record of kind `clock` that says it.
ClockPoint clock_point(const Record& record);
Record clock_record(const ClockPoint& point, Nanoseconds round_trip = 0);

/// From one rank's clock to the one of rank 0, on which all ranks are drawn: straight lines between the points, and
/// beyond them with the drift that was known last. Without points both clocks are one.
class ClockMap {
 public:
  /// In any order. Points that are far worse than the best, as the first of a recording may be, are left out.
  explicit ClockMap(std::vector<ClockPoint> points);

  Nanoseconds to_reference(Nanoseconds local) const { return local + offset_at(local); }
  Nanoseconds offset_at(Nanoseconds local) const;
  /// By how much `to_reference` may be wrong there; grows away from the points.
  Nanoseconds error_at(Nanoseconds local) const;

  /// Clocks that have been measured against each other may still wander by this much, in parts per billion.
  static constexpr std::int64_t loosening_ppb = 20'000;
  /// Clocks of sound machines differ by less.
  static constexpr std::int64_t unknown_drift_ppb = 200'000;

 private:
  std::vector<ClockPoint> points_;
  std::int64_t drift_ppb_ = 0;
};

}  // namespace treering::timeline
