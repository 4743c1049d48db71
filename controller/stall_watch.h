#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/tunables.h"

namespace treering::controller {

/// When a vertex speaks about requests that only some of its ranks have made: once per interval. A vertex waits a
/// sixteenth of the interval longer for every level below it, so that those below, who know more exactly who is
/// missing, have spoken before.
class StallWatch {
 public:
  StallWatch(const Tunables& tunables, int height)
      : interval_(static_cast<Nanoseconds>(tunables.stall_warning_ns)),
        abort_(static_cast<Nanoseconds>(tunables.stall_abort_ns)),
        age_(interval_ + height * (interval_ / 16)) {}

  /// Incomplete requests of this age are reported.
  Nanoseconds age() const { return age_; }
  Nanoseconds abort_age() const { return abort_; }

  /// `oldest`: since when the oldest incomplete request waits.
  std::optional<Nanoseconds> report_due(std::optional<Nanoseconds> oldest) const {
    if (interval_ == 0 || !oldest) return std::nullopt;
    const Nanoseconds due = *oldest + age_;
    return reported_ && *reported_ + interval_ > due ? *reported_ + interval_ : due;
  }
  std::optional<Nanoseconds> abort_due(std::optional<Nanoseconds> oldest) const {
    if (abort_ == 0 || !oldest) return std::nullopt;
    return *oldest + abort_;
  }
  void reported(Nanoseconds now) { reported_ = now; }

 private:
  Nanoseconds interval_;
  Nanoseconds abort_;
  Nanoseconds age_;
  std::optional<Nanoseconds> reported_;
};

}  // namespace treering::controller
