#include "tools/treering_timeline/traffic.h"

#include <algorithm>
#include <map>

#include "tools/treering_timeline/intervals.h"

namespace treering::tools {
namespace {

double per_second(std::uint64_t bytes, Nanoseconds time) {
  return time > 0 ? static_cast<double>(bytes) * 1e9 / static_cast<double>(time) : 0;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[(values.size() - 1) / 2];
}

}  // namespace

Busy busy_of(const RankTrace& rank) {
  Busy busy;
  std::array<std::vector<Interval>, stage_count> stages;
  for (const Batch& batch : rank.batches) {
    busy.moving.push_back({batch.started, batch.done});
    for (std::size_t stage = 0; stage < stage_count; ++stage) stages[stage].push_back(batch.stages[stage]);
  }
  busy.moving = united(std::move(busy.moving));
  for (std::size_t stage = 0; stage < stage_count; ++stage) busy.stages[stage] = united(std::move(stages[stage]));
  return busy;
}

std::vector<LinkTotal> link_totals(const Run& run) {
  std::map<std::pair<int, int>, LinkTotal> totals;
  std::map<std::pair<int, int>, std::vector<Interval>> busy;
  for (const RankTrace& rank : run.ranks) {
    for (const LinkUse& use : rank.links) {
      if (use.sent == 0) continue;
      const std::pair ends(rank.rank, static_cast<int>(use.peer));
      LinkTotal& total = totals[ends];
      total.from = ends.first;
      total.to = ends.second;
      total.bytes += use.sent;
      if (use.batch != no_batch)
        busy[ends].push_back(rank.batches[use.batch].stages[static_cast<std::size_t>(Stage::ring)]);
    }
  }
  std::vector<LinkTotal> sorted;
  for (auto& [ends, link] : totals) {
    link.busy = total(united(std::move(busy[ends])));
    sorted.push_back(link);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const LinkTotal& a, const LinkTotal& b) { return a.bytes > b.bytes; });
  return sorted;
}

Rates rates_of(const Run& run, const std::vector<Busy>& busy) {
  std::vector<double> achieved;
  std::vector<double> planned;
  std::vector<double> batches;
  for (std::size_t place = 0; place < run.ranks.size(); ++place) {
    std::uint64_t bytes = 0;
    for (const Batch& batch : run.ranks[place].batches) {
      const Interval ran{batch.started, batch.done};
      if (!ran.known()) continue;
      bytes += batch.bytes;
      if (ran.length() > 0) batches.push_back(per_second(batch.bytes, ran.length()));
    }
    if (bytes > 0) achieved.push_back(per_second(bytes, total(busy[place].moving)));
    if (run.ranks[place].planned > 0) planned.push_back(run.ranks[place].planned);
  }
  std::sort(batches.begin(), batches.end());
  const double best = batches.empty() ? 0 : batches[(batches.size() - 1) * 9 / 10];
  return {median(achieved), best, median(planned)};
}

}  // namespace treering::tools
