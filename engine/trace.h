#pragma once

#include "base/round.h"
#include "engine/pending.h"
#include "timeline/recorder.h"

namespace treering {

/// What the loop tells the timeline. Call only if the recorder is enabled.
void trace_task(timeline::Recorder& recorder, const PendingTask& pending, Nanoseconds done, const Status& status);
void trace_round(timeline::Recorder& recorder, const Round& round, Nanoseconds when);
void trace_sleep(timeline::Recorder& recorder, Nanoseconds begin, Nanoseconds end);

}  // namespace treering
