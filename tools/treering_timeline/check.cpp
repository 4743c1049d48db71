#include "tools/treering_timeline/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tools/treering_timeline/join.h"
#include "tools/treering_timeline/load.h"
#include "tools/treering_timeline/words.h"

namespace treering::tools {
namespace {

constexpr std::size_t most_faults = 20;
constexpr Nanoseconds rounding = 1000;     // of times that moved from one clock to another
constexpr Nanoseconds turn = 100'000'000;  // an engine's times are of its turn's begin, which may be a while ago

class Faults {
 public:
  void add(const std::string& text) {
    if (++count_ <= most_faults) text_ += "fault: " + text + '\n';
  }
  bool none() const { return count_ == 0; }
  std::string text() const {
    return count_ <= most_faults ? text_ : text_ + fmt::format("... and {} further faults\n", count_ - most_faults);
  }

 private:
  std::size_t count_ = 0;
  std::string text_;
};

/// Those that are known must not decrease.
bool in_order(std::initializer_list<Nanoseconds> times) {
  Nanoseconds latest = unknown;
  for (const Nanoseconds time : times) {
    if (time == unknown) continue;
    if (latest != unknown && time < latest - rounding) return false;
    latest = time;
  }
  return true;
}

void check_tensors(const Run& run, const RankTrace& rank, Faults& faults) {
  std::set<std::pair<std::uint64_t, std::uint32_t>> places;
  for (const TensorLife& life : rank.tensors) {
    const std::string what = fmt::format("rank {}: tensor {}, operation {}", rank.rank,
                                         name_words(run.names.text(life.name)), life.occurrence);
    if (!in_order({life.enqueued, life.ready, life.agreed, life.done}) ||
        !in_order({life.agreed, life.started, life.done}))
      faults.add(what + ": its times are not in order");
    if (life.agreed != unknown && !places.insert({life.round, life.item}).second)
      faults.add(what + fmt::format(": round {}, item {} was agreed twice", life.round, life.item));
  }
}

void check_batches(const RankTrace& rank, Faults& faults) {
  for (const Batch& batch : rank.batches) {
    const std::string what = fmt::format("rank {}: batch {}", rank.rank, batch.sequence);
    if (!in_order({batch.queued, batch.started, batch.done})) faults.add(what + ": its times are not in order");
    for (const Interval& stage : batch.stages)
      if (stage.known() && batch.done != unknown &&
          (stage.begin < batch.started - rounding || stage.end > batch.done + rounding))
        faults.add(what + ": a stage lies outside of it");
  }
}

void check_spans(const RankTrace& rank, Faults& faults) {
  Nanoseconds end = unknown;
  for (const NamedSpan& sleep : rank.asleep) {
    if ((end != unknown && sleep.begin < end - rounding) || sleep.end < sleep.begin)
      faults.add(fmt::format("rank {}: sleeps overlap at {}", rank.rank, time_words(sleep.begin)));
    end = std::max(end, sleep.end);
  }
}

/// What is the same on all ranks, and that nobody agreed long before all were ready.
void check_ranks(const Joined& joined, Faults& faults) {
  const Run& run = joined.run();
  for (const Operation& operation : joined.operations()) {
    if (!joined.complete(operation)) continue;
    const LifeAt last = joined.last(operation);
    const Nanoseconds ready = joined.life(last).ready;
    for (const LifeAt at : operation.lives) {
      const TensorLife& life = joined.life(at);
      const Nanoseconds slack = turn + run.ranks[at.rank].clock_error + run.ranks[last.rank].clock_error;
      if (life.agreed == unknown || life.agreed + slack >= ready) continue;
      faults.add(
          fmt::format("tensor {}, operation {}: rank {} took it for ready everywhere {} before rank {} was ready",
                      name_words(run.names.text(operation.name)), operation.occurrence, run.ranks[at.rank].rank,
                      time_words(ready - life.agreed), run.ranks[last.rank].rank));
    }
  }
}

void check_same_batches(const Run& run, Faults& faults) {
  std::map<std::uint64_t, std::pair<std::uint64_t, int>> bytes;  // by batch: its bytes, and who says so
  for (const RankTrace& rank : run.ranks)
    for (const Batch& batch : rank.batches) {
      const auto [found, is_new] = bytes.try_emplace(batch.sequence, batch.bytes, rank.rank);
      if (!is_new && found->second.first != batch.bytes)
        faults.add(fmt::format("batch {} has {} bytes on rank {} and {} on rank {}", batch.sequence,
                               found->second.first, found->second.second, batch.bytes, rank.rank));
    }
}

}  // namespace

CheckResult check_files(const std::vector<std::string>& paths) {
  const Run run = load_run(paths);
  Faults faults;
  CheckResult result;
  for (const std::string& said : run.said) faults.add(said);
  for (const int rank : run.missing) faults.add(fmt::format("there is no file of rank {}", rank));
  for (const RankTrace& rank : run.ranks) {
    result.text +=
        fmt::format("{}: rank {}, {} records, {} operations, {} batches, {}\n", rank.file, rank.rank, rank.records,
                    rank.tensors.size(), rank.batches.size(), rank.ended ? "ended in order" : "cut off");
    check_tensors(run, rank, faults);
    check_batches(rank, faults);
    check_spans(rank, faults);
  }
  const Joined joined(run);
  check_ranks(joined, faults);
  check_same_batches(run, faults);
  result.well_formed = faults.none();
  result.text += faults.text();
  result.text += result.well_formed ? "well formed\n" : "not well formed\n";
  return result;
}

}  // namespace treering::tools
