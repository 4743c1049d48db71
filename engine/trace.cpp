#include "engine/trace.h"

#include <fmt/format.h>

namespace treering {

using timeline::Phase;
using timeline::Track;

void trace_task(timeline::Recorder& recorder, const PendingTask& pending, Nanoseconds done, const Status& status) {
  const std::string& name = pending.task().name();
  const Nanoseconds agreed = pending.agreed != 0 ? pending.agreed : done;
  recorder.span(Track::tensors, Phase::tensor, name, pending.task().enqueued, done,
                status.ok() ? name_of(pending.task().request.kind) : status.message().c_str());
  recorder.span(Track::tensors, Phase::enqueued, name, pending.task().enqueued, pending.posted);
  recorder.span(Track::tensors, Phase::posted, name, pending.posted, agreed);
  if (pending.agreed != 0) recorder.span(Track::tensors, Phase::agreed, name, agreed, done);
}

void trace_round(timeline::Recorder& recorder, const Round& round, Nanoseconds when) {
  std::uint64_t bytes = 0;
  for (const RoundItem& item : round.items) bytes += item.end - item.begin;
  recorder.instant(Track::rounds, fmt::format("round {}", round.sequence), when,
                   fmt::format("{} items, {} bytes, cut because {}", round.items.size(), bytes, name_of(round.reason)));
}

void trace_sleep(timeline::Recorder& recorder, Nanoseconds begin, Nanoseconds end) {
  recorder.span(Track::engine, Phase::asleep, "asleep", begin, end);
}

}  // namespace treering
