#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "timeline/clock_keeper.h"
#include "timeline/timeline.h"
#include "transport/fabric.h"
#include "treering/config.h"

namespace treering {

struct StartedTimeline {
  std::unique_ptr<timeline::Timeline> timeline;  ///< off
  timeline::ClockPlace place;
};

/// Collective, at start: the ranks agree on a time that all call zero, and learn who shares a clock. `identity`: equal
/// for ranks that do (timeline::clock_identity).
StartedTimeline start_timeline(const Config& config, const std::string& plan, const std::string& identity,
                               transport::Fabric& fabric, const Clock& clock, const Log& log);

}  // namespace treering
