#pragma once

#include <cstdint>

#include "base/record_window.h"
#include "timeline/spool_format.h"

namespace treering::timeline {

/// Decides for one record after another whether the window holds it. A step begins whenever the first tensor that was
/// handed over comes again; what comes before belongs to step 0.
class WindowFilter {
 public:
  WindowFilter(const RecordWindow& window, Nanoseconds began) : window_(window), began_(began) {}

  bool holds(const Record& record);
  bool over() const { return over_; }

 private:
  std::uint64_t position_of(const Record& record);

  RecordWindow window_;
  Nanoseconds began_;
  std::uint32_t first_name_ = 0;
  std::uint64_t step_ = 0;
  bool over_ = false;
};

}  // namespace treering::timeline
