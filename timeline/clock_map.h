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

/// The point that a record of kind `clock` says.
ClockPoint clock_point(const Record& record);

/// From one rank's clock to the one of rank 0, on which all ranks are drawn: straight lines between the points, and
/// beyond them with the drift of the nearest. Without points both clocks are one.
class ClockMap {
 public:
  /// In any order.
  explicit ClockMap(std::vector<ClockPoint> points);

  Nanoseconds to_reference(Nanoseconds local) const { return local + offset_at(local); }
  Nanoseconds offset_at(Nanoseconds local) const;
  /// By how much `to_reference` may be wrong there; grows away from the points by `loosening`.
  Nanoseconds error_at(Nanoseconds local) const;

  /// Clocks that have been measured against each other may still wander by this much, in parts per billion.
  static constexpr std::int64_t loosening_ppb = 20'000;

 private:
  std::vector<ClockPoint> points_;
};

}  // namespace treering::timeline
