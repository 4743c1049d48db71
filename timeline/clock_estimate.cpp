#include "timeline/clock_estimate.h"

#include <algorithm>
#include <cmath>

namespace treering::timeline {

namespace {

/// Beyond this a clock is broken, or the samples are.
constexpr double most_drift = 1e-3;

Nanoseconds part_of(Nanoseconds time, std::int64_t ppb) {
  return static_cast<Nanoseconds>(std::llround(static_cast<double>(time) * static_cast<double>(ppb) * 1e-9));
}

}  // namespace

std::optional<ClockPoint> ClockEstimate::measured(const Exchange& exchange) {
  constexpr Nanoseconds most = Nanoseconds{1} << 60;  // so that no sum below overflows
  for (const Nanoseconds time : {exchange.sent, exchange.received, exchange.there_sent, exchange.there_received})
    if (time < -most || time > most) return std::nullopt;
  const Nanoseconds there = exchange.there_sent - exchange.there_received;
  const Nanoseconds round_trip = exchange.received - exchange.sent - there;
  if (there < 0 || round_trip < 0) return std::nullopt;
  const Nanoseconds out = exchange.there_received - exchange.sent;
  const Nanoseconds back = exchange.there_sent - exchange.received;
  return ClockPoint{exchange.received, out / 2 + back / 2, round_trip / 2 + 1, 0};
}

ClockPoint ClockEstimate::behind(const ClockPoint& measured, const ClockPoint& there) {
  return {measured.local, measured.offset + there.offset, measured.error + there.error, 0};
}

void ClockEstimate::add(const ClockPoint& sample) {
  if (!best_.empty() && sample.local / window == best_.back().local / window) {
    if (sample.error < best_.back().error) best_.back() = sample;
    return;
  }
  best_.push_back(sample);
  if (best_.size() > most_windows) best_.pop_front();
}

std::optional<ClockPoint> ClockEstimate::at(Nanoseconds now) const {
  if (best_.empty()) return std::nullopt;
  const auto doubt = [now, ppb = doubt_ppb()](const ClockPoint& sample) {
    return sample.error + part_of(std::abs(now - sample.local), ppb);
  };
  const ClockPoint& best = *std::ranges::min_element(best_, {}, doubt);
  const std::int64_t drift = drift_ppb();
  return ClockPoint{now, best.offset + part_of(now - best.local, drift), doubt(best), drift};
}

std::int64_t ClockEstimate::doubt_ppb() const {
  if (!knows_drift()) return ClockMap::unknown_drift_ppb;
  const Nanoseconds span = best_.back().local - best_.front().local;
  const double slack = static_cast<double>(best_.front().error + best_.back().error) / static_cast<double>(span) * 1e9;
  return std::min<std::int64_t>(ClockMap::unknown_drift_ppb,
                                ClockMap::loosening_ppb + std::llround(std::min(slack, 1e6)));
}

/// Least squares over the best samples, each as heavy as it is exact.
std::int64_t ClockEstimate::drift_ppb() const {
  if (!knows_drift()) return 0;
  const ClockPoint& base = best_.front();
  double weights = 0;
  double times = 0;
  double offsets = 0;
  for (const ClockPoint& sample : best_) {
    const double weight = 1 / (static_cast<double>(sample.error) * static_cast<double>(sample.error) + 1);
    weights += weight;
    times += weight * static_cast<double>(sample.local - base.local);
    offsets += weight * static_cast<double>(sample.offset - base.offset);
  }
  const double middle_time = times / weights;
  const double middle_offset = offsets / weights;
  double products = 0;
  double squares = 0;
  for (const ClockPoint& sample : best_) {
    const double weight = 1 / (static_cast<double>(sample.error) * static_cast<double>(sample.error) + 1);
    const double time = static_cast<double>(sample.local - base.local) - middle_time;
    products += weight * time * (static_cast<double>(sample.offset - base.offset) - middle_offset);
    squares += weight * time * time;
  }
  const double slope = squares > 0 ? products / squares : 0;
  return std::abs(slope) > most_drift ? 0 : std::llround(slope * 1e9);
}

}  // namespace treering::timeline
