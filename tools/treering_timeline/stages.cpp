#include "tools/treering_timeline/stages.h"

#include <algorithm>

#include "tools/treering_timeline/intervals.h"

namespace treering::tools {
namespace {

/// What all operations of one rank went through before they moved.
struct Before {
  std::vector<Interval> waiting;
  std::vector<Interval> agreeing;
  std::vector<Interval> starting;
};

Nanoseconds ready_everywhere(const Joined& joined, const Operation& operation) {
  Nanoseconds latest = unknown;
  for (const LifeAt at : operation.lives) latest = std::max(latest, joined.life(at).ready);
  return latest;
}

std::vector<Before> before_moving(const Joined& joined) {
  std::vector<Before> ranks(joined.run().ranks.size());
  for (const Operation& operation : joined.operations()) {
    const Nanoseconds everywhere = ready_everywhere(joined, operation);
    for (const LifeAt at : operation.lives) {
      const TensorLife& life = joined.life(at);
      ranks[at.rank].waiting.push_back({life.ready, everywhere});
      ranks[at.rank].agreeing.push_back({everywhere, life.agreed});
      ranks[at.rank].starting.push_back({life.agreed, life.started});
    }
  }
  for (Before& rank : ranks)
    for (auto list : {&Before::waiting, &Before::agreeing, &Before::starting})
      rank.*list = united(std::move(rank.*list));
  return ranks;
}

/// Of the medians over ranks, the median over steps.
template <class TimeOf>
Nanoseconds usual(const std::vector<Step>& steps, std::size_t ranks, const TimeOf& intervals_of) {
  std::vector<Nanoseconds> by_step;
  for (const Step& step : steps) {
    std::vector<Nanoseconds> by_rank;
    for (std::size_t rank = 0; rank < ranks; ++rank) by_rank.push_back(total(clipped(intervals_of(rank), step.when)));
    by_step.push_back(lower_median(std::move(by_rank)));
  }
  return by_step.empty() ? 0 : std::max<Nanoseconds>(0, lower_median(std::move(by_step)));
}

}  // namespace

StageTimes stages_of(const Joined& joined, const std::vector<Step>& steps, const std::vector<Busy>& busy) {
  using List = const std::vector<Interval>&;
  const std::vector<Before> before = before_moving(joined);
  StageTimes times;
  times.waiting = usual(steps, busy.size(), [&](std::size_t rank) -> List { return before[rank].waiting; });
  times.agreeing = usual(steps, busy.size(), [&](std::size_t rank) -> List { return before[rank].agreeing; });
  times.starting = usual(steps, busy.size(), [&](std::size_t rank) -> List { return before[rank].starting; });
  times.moving = usual(steps, busy.size(), [&](std::size_t rank) -> List { return busy[rank].moving; });
  for (std::size_t stage = 0; stage < stage_count; ++stage)
    times.stages[stage] = usual(steps, busy.size(), [&](std::size_t rank) -> List { return busy[rank].stages[stage]; });
  return times;
}

}  // namespace treering::tools
