#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "tools/treering_timeline/advice.h"
#include "tools/treering_timeline/summary.h"
#include "tools/treering_timeline/words.h"

namespace treering::tools {
namespace {

constexpr std::size_t most_causes = 5;
constexpr double least_part = 0.02;  // of the time; what costs less is in the JSON only
constexpr std::size_t most_tensors = 10;
constexpr std::size_t most_links = 12;
constexpr std::size_t width = 100;

class Text {
 public:
  template <class... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
    text_ += '\n';
  }
  /// In lines of `width` columns; all but the first begin with two columns more.
  void paragraph(std::string_view words, std::size_t indent) {
    std::string line(indent, ' ');
    bool empty = true;
    while (!words.empty()) {
      const std::string_view word = words.substr(0, words.find(' '));
      words.remove_prefix(std::min(words.size(), word.size() + 1));
      if (!empty && line.size() + 1 + word.size() > width) {
        text_ += line + '\n';
        line.assign(indent + 2, ' ');
        empty = true;
      }
      if (!empty) line += ' ';
      line += word;
      empty = false;
    }
    text_ += line + '\n';
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string ranks_words(const std::vector<int>& ranks) {
  std::string words;
  for (std::size_t at = 0; at < ranks.size() && at < 16; ++at)
    words += (at > 0 ? ", " : "") + std::to_string(ranks[at]);
  return ranks.size() > 16 ? words + ", ..." : words;
}

void header(Text& text, const Run& run, const Analysis& analysis) {
  Nanoseconds error = 0;
  std::uint64_t records = 0;
  for (const RankTrace& rank : run.ranks) {
    error = std::max(error, rank.clock_error);
    records += rank.records;
  }
  text.line("{} of {} ranks, {} records over {}; clocks agree within {}", run.ranks.size(), run.size, records,
            time_words(run.end - run.begin), time_words(error));
  if (!run.missing.empty()) text.line("no file of rank {}: what they did is not known", ranks_words(run.missing));
  if (analysis.steps.size() > 1) {
    text.line("{} steps; a step takes {} (median; 95 % are below {}), of which {} is exposed communication",
              analysis.steps.size(), time_words(analysis.step), time_words(analysis.step_p95),
              time_words(analysis.exposed));
  } else if (analysis.steps.size() == 1) {
    text.line("no repeated tensors, so all is taken for one step of {}; exposed communication {}",
              time_words(analysis.step), time_words(analysis.exposed));
  } else {
    text.line("no operations were recorded");
  }
}

void causes(Text& text, const Run& run, const Analysis& analysis) {
  if (analysis.steps.empty()) return;
  text.line("\nWhat costs time, the most expensive first (lost: time in which tensors were held up)");
  Nanoseconds time = 0;
  for (const StepFigures& step : analysis.steps) time += step.when.length();
  std::size_t shown = 0;
  for (std::size_t at = 0; at < analysis.causes.size() && shown < most_causes; ++at, ++shown) {
    if (static_cast<double>(analysis.causes[at].lost) < least_part * static_cast<double>(time)) break;
    const Advice advice = advice_for(analysis.causes[at], run, analysis.judged);
    const auto steps = static_cast<Nanoseconds>(std::max<std::size_t>(1, analysis.judged));
    text.line("  {}. {}: {} in a step", at + 1, advice.title, time_words(analysis.causes[at].lost / steps));
    text.paragraph(advice.evidence, 5);
    text.paragraph("-> " + advice.action, 5);
  }
  if (shown == 0) text.line("  nothing that makes {:.0f} % of the time", 100 * least_part);
  if (analysis.slowest_rank >= 0) {
    text.line("  Slowest rank: {}", analysis.slowest_rank);
  } else if (run.ranks.size() > 1) {
    text.line("  Slowest rank: none stands out");
  }
}

void stages(Text& text, const Analysis& analysis) {
  if (analysis.steps.empty()) return;
  const StageTimes& times = analysis.stages;
  text.line("\nWhere a step of the median rank goes (they overlap)");
  text.line("  {:<34}{:>10}", "ready here, waiting for others", time_words(times.waiting));
  text.line("  {:<34}{:>10}", "ready everywhere, being agreed", time_words(times.agreeing));
  text.line("  {:<34}{:>10}", "agreed, waiting for its batch", time_words(times.starting));
  text.line("  {:<34}{:>10}", "moving", time_words(times.moving));
  for (std::size_t stage = 0; stage < stage_count; ++stage)
    if (times.stages[stage] > 0)
      text.line("    {:<32}{:>10}", name_of(static_cast<Stage>(stage)), time_words(times.stages[stage]));
}

void tensors(Text& text, const Run& run, const Analysis& analysis) {
  if (analysis.waits.tensors.empty()) return;
  text.line("\n{:>10} {:>10} {:>7} {:>10}  {:<12}{}", "waited", "longest", "times", "size", "last", "tensor");
  for (std::size_t at = 0; at < analysis.waits.tensors.size() && at < most_tensors; ++at) {
    const TensorWait& wait = analysis.waits.tensors[at];
    const std::string last =
        wait.usually_last < 0 ? "-"
                              : fmt::format("{} ({:.0f} %)", wait.usually_last, 100.0 * wait.last_count / wait.count);
    text.line("{:>10} {:>10} {:>7} {:>10}  {:<12}{}", time_words(wait.waited), time_words(wait.longest), wait.count,
              byte_words(wait.bytes), last, name_words(run.names.text(wait.name)));
  }
  if (analysis.waits.tensors.size() > most_tensors)
    text.line("  ... and {} further names", analysis.waits.tensors.size() - most_tensors);
}

void traffic(Text& text, const Analysis& analysis) {
  const BatchFigures& batches = analysis.batches;
  if (batches.count == 0) return;
  text.line("\n{} batches of {} tensors on average; {} in the middle, {} at most", batches.count,
            fmt::format("{:.1f}", batches.members), byte_words(batches.median_bytes),
            byte_words(batches.largest_bytes));
  for (const auto& [reason, count] : batches.reasons)
    text.line("  {:>6} batches' rounds were cut because: {}", count, reason);
  for (const auto& [plan, count] : batches.plans) text.line("  {:>6} took: {}", count, plan);
  text.line("Achieved {} while batches ran; the fastest tenth of them {} or more; planned: {}",
            rate_words(analysis.rates.achieved), rate_words(analysis.rates.best),
            analysis.rates.planned > 0 ? rate_words(analysis.rates.planned) : "no figure");
  for (std::size_t at = 0; at < analysis.links.size() && at < most_links; ++at) {
    const LinkTotal& link = analysis.links[at];
    text.line("  rank {} -> rank {}: {} at {} while in use", link.from, link.to, byte_words(link.bytes),
              rate_words(link.rate()));
  }
}

}  // namespace

std::string summary_text(const Run& run, const Analysis& analysis) {
  Text text;
  header(text, run, analysis);
  causes(text, run, analysis);
  stages(text, analysis);
  tensors(text, run, analysis);
  traffic(text, analysis);
  return text.take();
}

}  // namespace treering::tools
