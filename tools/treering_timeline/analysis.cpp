#include "tools/treering_timeline/analysis.h"

#include <algorithm>
#include <map>

#include "tools/treering_timeline/exposed.h"
#include "tools/treering_timeline/intervals.h"
#include "tools/treering_timeline/stages.h"

namespace treering::tools {
namespace {

constexpr std::size_t few_steps = 3;   // with more, the first does not count: it warms up
constexpr double standing_out = 0.05;  // of the time looked at
constexpr Nanoseconds times_usual = 3;

std::vector<Step> without_warm_up(const std::vector<Step>& steps) {
  return steps.size() > few_steps ? std::vector<Step>(steps.begin() + 1, steps.end()) : steps;
}

StepFigures figures_of(const Joined& joined, const Step& step, const std::vector<Busy>& busy) {
  std::vector<Nanoseconds> exposed;
  for (std::size_t rank = 0; rank < busy.size(); ++rank) exposed.push_back(exposed_in(joined, step, rank));
  return {step.number, step.when, exposed.empty() ? 0 : lower_median(std::move(exposed))};
}

BatchFigures batches_of(const Run& run) {
  BatchFigures figures;
  const RankTrace* most = nullptr;
  for (const RankTrace& rank : run.ranks)
    if (!most || rank.batches.size() > most->batches.size()) most = &rank;
  if (!most || most->batches.empty()) return figures;
  std::vector<Nanoseconds> sizes;
  for (const Batch& batch : most->batches) {
    figures.bytes += batch.bytes;
    figures.members += batch.members;
    sizes.push_back(static_cast<Nanoseconds>(batch.bytes));
    figures.largest_bytes = std::max(figures.largest_bytes, batch.bytes);
    if (batch.reason != 0) ++figures.reasons[run.names.text(batch.reason)];
    const std::string& path = run.names.text(batch.path);
    const std::string& plan = run.names.text(batch.plan);
    ++figures.plans[path.empty() || plan.empty() ? plan + path : plan + ", " + path];
  }
  figures.count = most->batches.size();
  figures.members /= static_cast<double>(figures.count);
  figures.median_bytes = static_cast<std::uint64_t>(lower_median(std::move(sizes)));
  return figures;
}

void take_steps(Analysis& analysis, const Joined& joined, const std::vector<Step>& steps,
                const std::vector<Busy>& busy) {
  for (const Step& step : steps) analysis.steps.push_back(figures_of(joined, step, busy));
  std::vector<Nanoseconds> lengths;
  std::vector<Nanoseconds> exposed;
  for (const Step& step : without_warm_up(steps)) lengths.push_back(step.when.length());
  for (std::size_t at = analysis.steps.size() - lengths.size(); at < analysis.steps.size(); ++at)
    exposed.push_back(analysis.steps[at].exposed);
  if (lengths.empty()) return;
  analysis.step_p95 = quantile(lengths, 0.95);
  analysis.step = lower_median(std::move(lengths));
  analysis.exposed = lower_median(std::move(exposed));
}

/// Whose lateness and order cost most, if that is more than a little and much more than the usual rank's.
int slowest(const std::vector<Cause>& causes, const std::vector<Step>& judged, std::size_t ranks) {
  Nanoseconds time = 0;
  for (const Step& step : judged) time += step.when.length();
  std::map<int, Nanoseconds> lost;
  for (const Cause& cause : causes)
    if (cause.kind == CauseKind::late_rank || cause.kind == CauseKind::order) lost[cause.rank] += cause.lost;
  if (lost.empty() || ranks < 2) return -1;
  const auto most = std::max_element(lost.begin(), lost.end(), [](auto& a, auto& b) { return a.second < b.second; });
  std::vector<Nanoseconds> all(ranks - lost.size());
  for (const auto& [rank, value] : lost) all.push_back(value);
  const Nanoseconds usual = lower_median(std::move(all));
  const bool stands_out = static_cast<double>(most->second) >= standing_out * static_cast<double>(time);
  return stands_out && most->second >= times_usual * usual ? most->first : -1;
}

}  // namespace

Analysis analyse(const Joined& joined) {
  const Run& run = joined.run();
  Analysis analysis;
  std::vector<Busy> busy;
  for (const RankTrace& rank : run.ranks) busy.push_back(busy_of(rank));
  if (!joined.operations().empty()) {
    const std::vector<Step> steps = find_steps(joined);
    const std::vector<Step> judged = without_warm_up(steps);
    take_steps(analysis, joined, steps, busy);
    analysis.judged = judged.size();
    analysis.causes = find_causes(joined, judged, busy);
    analysis.slowest_rank = slowest(analysis.causes, judged, run.ranks.size());
    analysis.stages = stages_of(joined, judged, busy);
  }
  analysis.waits = waits_of(joined);
  analysis.rates = rates_of(run, busy);
  analysis.batches = batches_of(run);
  analysis.links = link_totals(run);
  return analysis;
}

}  // namespace treering::tools
