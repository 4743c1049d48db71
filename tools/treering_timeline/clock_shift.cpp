#include "tools/treering_timeline/clock_shift.h"

#include <algorithm>

namespace treering::tools {
namespace {

/// Calls `change` with every time of the trace that is known.
template <class Change>
void for_each_time(RankTrace& trace, const Change& change) {
  const auto each = [&change](auto&... times) { ((times != unknown ? change(times) : void()), ...); };
  for (TensorLife& life : trace.tensors) each(life.enqueued, life.ready, life.agreed, life.started, life.done);
  for (Batch& batch : trace.batches) {
    each(batch.queued, batch.started, batch.done);
    for (Interval& stage : batch.stages) each(stage.begin, stage.end);
  }
  for (auto spans : {&RankTrace::asleep, &RankTrace::marks, &RankTrace::callbacks})
    for (NamedSpan& span : trace.*spans) each(span.begin, span.end);
  for (LoopTile& tile : trace.loop) each(tile.when.begin, tile.when.end);
  for (Sample& sample : trace.samples) each(sample.when);
  for (Interval& gap : trace.gaps) each(gap.begin, gap.end);
}

}  // namespace

void shift_to_reference(RankTrace& trace, const timeline::ClockMap& clock) {
  for_each_time(trace, [&](Nanoseconds& time) {
    trace.clock_error = std::max(trace.clock_error, clock.error_at(time));
    time = clock.to_reference(time);
  });
}

void shift_to_zero(Run& run) {
  Nanoseconds first = unknown;
  Nanoseconds last = unknown;
  for (RankTrace& rank : run.ranks)
    for_each_time(rank, [&](const Nanoseconds& time) {
      first = first == unknown ? time : std::min(first, time);
      last = std::max(last, time);
    });
  if (first == unknown) return;
  for (RankTrace& rank : run.ranks) for_each_time(rank, [first](Nanoseconds& time) { time -= first; });
  run.begin = 0;
  run.end = last - first;
}

}  // namespace treering::tools
