#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/treering_timeline/advice.h"
#include "tools/treering_timeline/summary.h"
#include "tools/treering_timeline/utf8.h"
#include "tools/treering_timeline/words.h"

namespace treering::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_tensors = 100;

Json or_null(int rank) { return rank < 0 ? Json() : Json(rank); }

Json cause_json(const Cause& cause, const Run& run, std::size_t judged) {
  const Advice advice = advice_for(cause, run, judged);
  const double steps = static_cast<double>(std::max<std::size_t>(1, judged));
  return {{"kind", word_of(cause.kind)},
          {"lost_ms", milliseconds(cause.lost)},
          {"lost_ms_per_step", milliseconds(cause.lost) / steps},
          {"longest_ms", milliseconds(cause.longest)},
          {"steps", cause.steps},
          {"rank", or_null(cause.rank)},
          {"peer", or_null(cause.peer)},
          {"tensor", cause.name == 0 ? Json() : Json(valid_utf8(run.names.text(cause.name)))},
          {"what", advice.title},
          {"evidence", advice.evidence},
          {"advice", advice.action},
          {"knob", advice.knob.empty() ? Json() : Json(advice.knob)}};
}

Json stages_json(const StageTimes& times) {
  Json json{{"waiting", milliseconds(times.waiting)},
            {"agreeing", milliseconds(times.agreeing)},
            {"starting", milliseconds(times.starting)},
            {"moving", milliseconds(times.moving)}};
  for (std::size_t stage = 0; stage < stage_count; ++stage)
    json[name_of(static_cast<Stage>(stage))] = milliseconds(times.stages[stage]);
  return json;
}

Json tensors_json(const Run& run, const Analysis& analysis) {
  Json list = Json::array();
  for (const TensorWait& wait : analysis.waits.tensors) {
    if (list.size() == most_tensors) break;
    list.push_back({{"name", valid_utf8(run.names.text(wait.name))},
                    {"waited_ms", milliseconds(wait.waited)},
                    {"longest_ms", milliseconds(wait.longest)},
                    {"count", wait.count},
                    {"bytes", wait.bytes},
                    {"usually_last", or_null(wait.usually_last)}});
  }
  return list;
}

Json batches_json(const BatchFigures& batches) {
  return {{"count", batches.count},
          {"bytes", batches.bytes},
          {"median_bytes", batches.median_bytes},
          {"largest_bytes", batches.largest_bytes},
          {"tensors", batches.members},
          {"cut_because", batches.reasons},
          {"took", batches.plans}};
}

Json links_json(const std::vector<LinkTotal>& links) {
  Json list = Json::array();
  for (const LinkTotal& link : links)
    list.push_back({{"from", link.from}, {"to", link.to}, {"bytes", link.bytes}, {"bytes_per_second", link.rate()}});
  return list;
}

}  // namespace

std::string summary_json(const Run& run, const Analysis& analysis) {
  Nanoseconds clock_error = 0;
  Json found = Json::array();
  std::uint64_t dropped = 0;
  for (const RankTrace& rank : run.ranks) {
    clock_error = std::max(clock_error, rank.clock_error);
    dropped += rank.dropped;
    found.push_back(rank.rank);
  }
  Json json{{"ranks", run.size},
            {"recorded_ranks", found},
            {"missing_ranks", run.missing},
            {"remarks", run.said},
            {"dropped_events", dropped},
            {"clock_error_ms", milliseconds(clock_error)},
            {"span_ms", milliseconds(run.end - run.begin)},
            {"steps", analysis.steps.size()},
            {"step_ms", milliseconds(analysis.step)},
            {"step_ms_p95", milliseconds(analysis.step_p95)},
            {"exposed_ms", milliseconds(analysis.exposed)},
            {"slowest_rank", or_null(analysis.slowest_rank)}};
  json["causes"] = Json::array();
  for (const Cause& cause : analysis.causes) json["causes"].push_back(cause_json(cause, run, analysis.judged));
  json["stages_ms"] = stages_json(analysis.stages);
  json["tensors"] = tensors_json(run, analysis);
  json["achieved_bytes_per_second"] = analysis.rates.achieved;
  json["best_bytes_per_second"] = analysis.rates.best;
  json["planned_bytes_per_second"] = analysis.rates.planned > 0 ? Json(analysis.rates.planned) : Json();
  json["batches"] = batches_json(analysis.batches);
  json["links"] = links_json(analysis.links);
  json["wait_histogram_us_log2"] = analysis.waits.histogram;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace treering::tools
