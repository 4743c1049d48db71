#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/clock.h"
#include "tools/treering_timeline/names.h"

namespace treering::tools {

/// Stands for a time that nobody recorded: the recorder was off, or the process died.
inline constexpr Nanoseconds unknown = std::numeric_limits<Nanoseconds>::min();

struct Interval {
  Nanoseconds begin = unknown;
  Nanoseconds end = unknown;

  bool known() const { return begin != unknown && end != unknown && end >= begin; }
  Nanoseconds length() const { return known() ? end - begin : 0; }
};

inline constexpr std::uint32_t no_batch = std::numeric_limits<std::uint32_t>::max();

/// One rank's side of one operation. `occurrence` counts the operations of one name that the run recorded, on all ranks
/// alike.
struct TensorLife {
  std::uint32_t name = 0;
  std::uint32_t occurrence = 0;
  std::uint64_t round = 0;  ///< with `item` the same operation on every rank; 0: never agreed
  std::uint32_t item = 0;
  std::uint32_t batch = no_batch;  ///< index of its first batch among its rank's
  std::uint64_t bytes = 0;
  Nanoseconds enqueued = unknown;  ///< handed over by the program
  Nanoseconds ready = unknown;     ///< this rank has told the others
  Nanoseconds agreed = unknown;    ///< ready on all ranks, and this one knows
  Nanoseconds started = unknown;   ///< its first batch runs
  Nanoseconds done = unknown;
  bool failed = false;
};

enum class Stage : std::uint8_t { pack, tree, ring, broadcast, unpack };
inline constexpr std::size_t stage_count = 5;

constexpr const char* name_of(Stage stage) {
  constexpr const char* names[] = {"pack", "tree up", "ring", "tree down", "unpack"};
  return names[static_cast<std::size_t>(stage)];
}

/// One rank's side of one batch. `sequence` is equal on all ranks.
struct Batch {
  std::uint64_t sequence = 0;
  std::uint64_t bytes = 0;
  std::uint32_t label = 0;  ///< its tensor, or the first of them
  std::uint32_t members = 0;
  std::uint32_t reason = 0;  ///< text: why its round was cut there
  std::uint32_t plan = 0;    ///< text: why this plan
  std::uint32_t path = 0;    ///< text
  Nanoseconds queued = unknown;
  Nanoseconds started = unknown;
  Nanoseconds done = unknown;
  std::array<Interval, stage_count> stages;
};

/// Bytes of one batch between this rank and one other.
struct LinkUse {
  std::uint32_t batch = no_batch;
  std::int32_t peer = -1;
  std::uint64_t sent = 0;      ///< over the network
  std::uint64_t received = 0;  ///< over the network
  std::uint64_t in_node = 0;   ///< read from or written to the other's memory
};

/// A span with a name: a mark of the program, a callback, a sleep of the engine's thread.
struct NamedSpan {
  std::uint32_t name = 0;
  std::uint32_t thread = 0;  ///< text
  Nanoseconds begin = unknown;
  Nanoseconds end = unknown;  ///< equal to `begin` for a mark
};

/// What the engine's thread did with a stretch of time.
struct LoopTile {
  Interval when;
  Nanoseconds working = 0;
  Nanoseconds spinning = 0;
  Nanoseconds asleep = 0;
};

struct Sample {
  Nanoseconds when = unknown;
  std::uint64_t bytes_held = 0;  ///< for slots and boards
  std::uint32_t pending = 0;
  std::uint32_t queued = 0;
  std::uint32_t running = 0;
};

/// What one rank's file says. Times are nanoseconds on the job's clock; zero is the run's first event.
struct RankTrace {
  int rank = 0;
  int node = 0;
  std::string host;
  std::string file;
  std::string plan;
  std::vector<TensorLife> tensors;
  std::vector<Batch> batches;
  std::vector<LinkUse> links;
  std::vector<LoopTile> loop;
  std::vector<NamedSpan> asleep;     ///< the engine's thread; side by side
  std::vector<NamedSpan> marks;      ///< the program's own; nested within a thread
  std::vector<NamedSpan> callbacks;  ///< user's code, by tensor
  std::vector<Sample> samples;
  std::vector<Interval> gaps;  ///< the recorder was off, or dropped events
  double planned = 0;          ///< bytes per second that the plan predicts; 0: it does not say
  std::uint64_t dropped = 0;
  std::uint64_t records = 0;
  Nanoseconds clock_error = 0;  ///< how far its clock may be off
  bool ended = false;           ///< the engine closed the file
};

struct Run {
  Names names;
  int size = 0;                   ///< ranks of the job
  std::vector<RankTrace> ranks;   ///< those found, by rank
  std::vector<int> missing;       ///< ranks without a file
  std::vector<std::string> said;  ///< what was skipped or torn, one sentence each
  Nanoseconds begin = 0;
  Nanoseconds end = 0;
};

}  // namespace treering::tools
