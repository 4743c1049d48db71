#pragma once

#include "base/round.h"
#include "engine/pending.h"
#include "engine/schedule.h"
#include "timeline/recorder.h"

namespace treering {

/// What the loop tells the timeline. Call only if the recorder is enabled.
void trace_posted(timeline::Recorder& recorder, PendingTask& pending);
/// `item`: of the round that holds its first piece.
void trace_agreed(timeline::Recorder& recorder, PendingTask& pending, const Round& round, std::size_t item);
void trace_done(timeline::Recorder& recorder, PendingTask& pending, Nanoseconds done, const Status& status);
void trace_round(timeline::Recorder& recorder, const Round& round, Nanoseconds when);
/// A batch is handed to the executor.
void trace_batch(timeline::Recorder& recorder, const ops::Submission& submission, const Schedule::Origin& origin,
                 PendingTable& pending, Nanoseconds when);

/// Bytes held for slots and boards, and lengths of the engine's queues.
struct Queues {
  std::uint64_t memory = 0;
  std::size_t pending = 0;          ///< operations
  std::size_t batches_waiting = 0;  ///< not yet handed to the executor
  std::size_t batches_running = 0;  ///< handed over and not done
};
void trace_sample(timeline::Recorder& recorder, const Queues& queues, Nanoseconds when);

}  // namespace treering
