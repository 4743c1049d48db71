#include "ops/trace.h"

#include <algorithm>

namespace treering::ops {

using timeline::Kind;
using timeline::Phase;

namespace {

/// The path and, for whoever wants another one, why it was this.
const char* why(PathClass path) {
  switch (path) {
    case PathClass::one_shot: return "one-shot: small enough for one step in the node";
    case PathClass::mapped: return "mapped: every segment lies in memory that the node can map";
    case PathClass::staged: return "staged: some segment lies in private memory, or nodes differ";
  }
  return "unknown path";
}

/// Times are missing where recording began in between.
std::uint64_t since(Nanoseconds begin, Nanoseconds now) {
  return begin == 0 ? 0 : static_cast<std::uint64_t>(std::max<Nanoseconds>(0, now - begin));
}

}  // namespace

void trace_batch(timeline::Recorder& recorder, const LaneRow& lane, Nanoseconds now) {
  const std::uint64_t batch = lane.submission().cookie;
  for (const Phase phase : {Phase::packed, Phase::tree, Phase::ring, Phase::broadcast, Phase::unpacked})
    if (const auto span = lane.span(phase))
      recorder.record(
          {Kind::stage, 0, span->begin, {batch, static_cast<std::uint64_t>(phase), since(span->begin, span->end)}});
  lane.for_each_traffic([&](const Runner::Traffic& traffic, int peer) {
    recorder.record({Kind::link,
                     0,
                     now,
                     {batch, static_cast<std::uint64_t>(traffic.use), static_cast<std::uint64_t>(peer), traffic.bytes,
                      traffic.transfers}});
  });
  recorder.record({Kind::batch_done,
                   0,
                   now,
                   {batch, recorder.name(why(lane.path())), lane.index(), since(lane.queued_since(), now),
                    since(lane.started_at(), now), lane.bytes()}});
}

}  // namespace treering::ops
