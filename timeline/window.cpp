#include "timeline/window.h"

#include <algorithm>

namespace treering::timeline {

bool WindowFilter::holds(const Record& record) {
  if (window_.unit == RecordWindow::Unit::everything) return true;
  const std::uint64_t position = position_of(record);
  over_ |= position >= window_.to;
  return position >= window_.from && !over_;
}

std::uint64_t WindowFilter::position_of(const Record& record) {
  if (window_.unit == RecordWindow::Unit::seconds)
    return static_cast<std::uint64_t>(std::max<Nanoseconds>(0, record.time - began_)) / 1'000'000'000;
  if (record.kind == Kind::posted) {
    if (first_name_ == 0)
      first_name_ = record.name;
    else if (first_name_ == record.name)
      ++step_;
  }
  return step_;
}

}  // namespace treering::timeline
