#include "tools/treering_timeline/report.h"

#include <nlohmann/json.hpp>

#include "tools/treering_timeline/critical_path.h"
#include "tools/treering_timeline/packed_spans.h"
#include "tools/treering_timeline/page.h"
#include "tools/treering_timeline/summary.h"
#include "tools/treering_timeline/utf8.h"

namespace treering::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_steps = 5000;

/// For a script element: nothing in it may look like the element's end.
std::string embedded(const Json& json) {
  const std::string plain = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  std::string text;
  text.reserve(plain.size());
  for (const char letter : plain) {
    if (letter == '<') {
      text += "\\u003c";
    } else {
      text += letter;
    }
  }
  return text;
}

Json step_json(const Joined& joined, const Step& step, const StepFigures& figures, Nanoseconds zero) {
  const CriticalPath path = critical_path(joined, step);
  const auto microseconds = [zero](Nanoseconds time) { return static_cast<double>(time - zero) / 1e3; };
  return {{"number", step.number},
          {"begin", microseconds(step.when.begin)},
          {"end", microseconds(step.when.end)},
          {"exposed", static_cast<double>(figures.exposed) / 1e3},
          {"name", path.name},
          {"last", path.last_rank},
          {"ends", path.end_rank},
          {"parts",
           {microseconds(path.others), microseconds(path.handed_over), microseconds(path.ready),
            microseconds(path.agreed), microseconds(path.started), microseconds(path.done)}}};
}

Json steps_json(const Joined& joined, const Analysis& analysis, Interval window) {
  Json list = Json::array();
  if (joined.operations().empty()) return list;
  const std::vector<Step> steps = find_steps(joined);
  for (std::size_t at = 0; at < steps.size() && list.size() < most_steps; ++at)
    if (steps[at].when.end > window.begin && steps[at].when.begin < window.end)
      list.push_back(step_json(joined, steps[at], analysis.steps[at], window.begin));
  return list;
}

Json ranks_json(const Run& run) {
  Json list = Json::array();
  for (const RankTrace& rank : run.ranks)
    list.push_back({{"rank", rank.rank}, {"host", valid_utf8(rank.host)}, {"node", rank.node}});
  return list;
}

Json tensors_json(const Analysis& analysis) {
  Json list = Json::array();
  for (const TensorWait& wait : analysis.waits.tensors)
    list.push_back({wait.name, static_cast<double>(wait.waited) / 1e3, static_cast<double>(wait.longest) / 1e3,
                    wait.count, wait.bytes, wait.usually_last, wait.last_count});
  return list;
}

}  // namespace

void write_report(const Joined& joined, const Analysis& analysis, Interval window, OutFile& out) {
  const Run& run = joined.run();
  const PackedSpans spans(joined, window);
  Json names = Json::array();
  for (std::uint32_t id = 0; id < run.names.size(); ++id) names.push_back(valid_utf8(run.names.text(id)));
  Json facts{{"tick", static_cast<double>(spans.tick()) / 1e3},
             {"length", static_cast<double>(window.length()) / 1e3},
             {"offset", static_cast<double>(window.begin) / 1e3},
             {"spans", spans.count()},
             {"summary", Json::parse(summary_json(run, analysis))},
             {"ranks", ranks_json(run)},
             {"names", std::move(names)},
             {"tensors", tensors_json(analysis)},
             {"steps", steps_json(joined, analysis, window)}};
  out.write(page_before());
  out.write(embedded(facts));
  out.write(page_between());
  out.write(spans.base64());
  out.write(page_after());
}

}  // namespace treering::tools
