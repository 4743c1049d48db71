#pragma once

#include <deque>
#include <optional>

#include "timeline/clock_map.h"

namespace treering::timeline {

/// What rank 0's clock shows, estimated from exchanges with somebody who knows it. A value: no clock, no messages.
///
/// The reference lay in [offset - error, offset + error] at each sample. The best samples of past seconds give the
/// drift, the best of all, with the drift, the offset.
class ClockEstimate {
 public:
  /// One exchange: sent at `sent` and answered at `received` by this clock, when the other side's clock showed
  /// `there_received` and `there_sent`.
  struct Exchange {
    Nanoseconds sent = 0;
    Nanoseconds there_received = 0;
    Nanoseconds there_sent = 0;
    Nanoseconds received = 0;
  };

  /// The point that an exchange gives, if the other side's clock were the reference; none if its times are impossible.
  static std::optional<ClockPoint> measured(const Exchange& exchange);
  /// The same if the other side knows the reference by `there`.
  static ClockPoint behind(const ClockPoint& measured, const ClockPoint& there);

  void add(const ClockPoint& sample);
  /// What is known at `now`; none before the first sample.
  std::optional<ClockPoint> at(Nanoseconds now) const;

 private:
  /// Samples of one second: of a burst of exchanges only the quickest says much.
  static constexpr Nanoseconds window = 1'000'000'000;
  static constexpr std::size_t most_windows = 30;
  /// Shorter spans say nothing of the drift.
  static constexpr Nanoseconds least_span = 2'000'000'000;

  bool knows_drift() const { return best_.back().local - best_.front().local >= least_span; }
  std::int64_t drift_ppb() const;
  /// How far the clocks may wander from the estimate, in parts per billion.
  std::int64_t doubt_ppb() const;

  std::deque<ClockPoint> best_;  ///< of each window, oldest first
};

}  // namespace treering::timeline
