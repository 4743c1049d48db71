#include "tools/treering_timeline/critical_path.h"

#include <algorithm>

#include "tools/treering_timeline/intervals.h"

namespace treering::tools {
namespace {

/// When the median of the other ranks was ready; of a rank alone, when it was itself.
Nanoseconds others_ready(const Joined& joined, const Operation& operation, LifeAt last) {
  std::vector<Nanoseconds> ready;
  for (const LifeAt at : operation.lives)
    if (at.rank != last.rank) ready.push_back(joined.life(at).ready);
  return ready.empty() ? joined.life(last).ready : lower_median(std::move(ready));
}

}  // namespace

CriticalPath critical_path(const Joined& joined, const Step& step) {
  CriticalPath path;
  const Operation* ends = nullptr;
  const TensorLife* end = nullptr;
  for (const std::uint32_t index : step.operations) {
    const Operation& operation = joined.operations()[index];
    if (!joined.complete(operation)) continue;
    for (const LifeAt at : operation.lives) {
      const TensorLife& life = joined.life(at);
      if (life.done == unknown || (end && life.done <= end->done)) continue;
      end = &life;
      ends = &operation;
      path.end_rank = joined.run().ranks[at.rank].rank;
    }
  }
  if (!end) return path;
  const LifeAt last = joined.last(*ends);
  const TensorLife& latest = joined.life(last);
  path.name = ends->name;
  path.last_rank = joined.run().ranks[last.rank].rank;
  const auto no_earlier = [](Nanoseconds time, Nanoseconds than) {
    return std::max(time == unknown ? than : time, than);
  };
  const Nanoseconds others = std::min(others_ready(joined, *ends, last), latest.enqueued);
  path.others = no_earlier(others, step.when.begin);
  path.handed_over = no_earlier(latest.enqueued, path.others);
  path.ready = no_earlier(latest.ready, path.handed_over);
  path.agreed = no_earlier(end->agreed, path.ready);
  path.started = no_earlier(end->started, path.agreed);
  path.done = no_earlier(end->done, path.started);
  return path;
}

}  // namespace treering::tools
