#pragma once

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "timeline/recorder.h"

namespace treering {

/// What the loop does with its time, for the timeline: sums over intervals of about a millisecond, and the longer
/// rests. For the thread that holds the helm.
class LoopStates {
 public:
  explicit LoopStates(timeline::Recorder& recorder) : recorder_(recorder) {}

  /// At the beginning of each turn. The time since the call before belongs to the turn that it began. True once per
  /// interval.
  bool turn(Nanoseconds now) {
    if (!recorder_.enabled()) {
      recording_ = false;
      return false;
    }
    if (!recording_) begin(now);
    if (std::exchange(resting_, false))
      account_rest(now);
    else
      account(now);
    ++turns_;
    if (now - began_ < interval) return false;
    say(now);
    return true;
  }
  /// Whether the turn just taken moved anything.
  void moved(bool anything) { moved_ = anything; }

  /// Whoever holds the helm lets it go: until the next turn nobody works.
  void rest(const Clock& clock) {
    if (!recorder_.enabled() || !recording_) return;
    account(clock.now());
    resting_ = true;
  }

 private:
  static std::uint64_t count(Nanoseconds time) { return static_cast<std::uint64_t>(std::max<Nanoseconds>(0, time)); }

  void begin(Nanoseconds now) {
    recording_ = true;
    began_ = last_ = now;
    working_ = spinning_ = asleep_ = 0;
    turns_ = 0;
  }

  void account(Nanoseconds until) {
    (moved_ ? working_ : spinning_) += std::max<Nanoseconds>(0, until - last_);
    last_ = std::max(last_, until);
  }

  void account_rest(Nanoseconds now) {
    const Nanoseconds time = std::max<Nanoseconds>(0, now - last_);
    asleep_ += time;
    if (time >= least_sleep) recorder_.record({timeline::Kind::asleep, 0, last_, {count(time)}});
    last_ = std::max(last_, now);
  }

  void say(Nanoseconds now) {
    recorder_.record({timeline::Kind::loop,
                      0,
                      began_,
                      {count(now - began_), count(working_), count(spinning_), count(asleep_), turns_}});
    begin(now);
  }

  static constexpr Nanoseconds interval = 1'000'000;
  static constexpr Nanoseconds least_sleep = 10'000;  // shorter ones are in the sums only

  timeline::Recorder& recorder_;
  bool recording_ = false;
  bool moved_ = false;
  bool resting_ = false;
  Nanoseconds began_ = 0;
  Nanoseconds last_ = 0;  ///< time up to here is accounted for
  Nanoseconds working_ = 0;
  Nanoseconds spinning_ = 0;
  Nanoseconds asleep_ = 0;
  std::uint64_t turns_ = 0;
};

}  // namespace treering
