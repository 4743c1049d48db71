#pragma once

#include "ops/lane_row.h"
#include "timeline/recorder.h"

namespace treering::ops {

/// What the timeline learns of a batch that ends now: its phases, then the bytes on each link, then the whole. Call
/// only if the recorder is enabled.
void trace_batch(timeline::Recorder& recorder, const LaneRow& lane, Nanoseconds now);

}  // namespace treering::ops
