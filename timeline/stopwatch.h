#pragma once

#include "base/clock.h"
#include "timeline/recorder.h"

namespace treering::timeline {

/// The time while somebody wants to know it, else zero, which costs next to nothing.
class Stopwatch final : public Clock {
 public:
  /// Both must outlive it.
  Stopwatch(const Recorder& recorder, const Clock& clock) : recorder_(recorder), clock_(clock) {}
  Nanoseconds now() const override { return recorder_.enabled() ? clock_.now() : 0; }

 private:
  const Recorder& recorder_;
  const Clock& clock_;
};

}  // namespace treering::timeline
