#include "tools/treering_timeline/diff.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "tools/treering_timeline/utf8.h"
#include "tools/treering_timeline/words.h"

namespace treering::tools {
namespace {

using Values = std::map<std::string, double>;

double per_step(Nanoseconds lost, std::size_t steps) {
  return milliseconds(lost) / static_cast<double>(std::max<std::size_t>(1, steps));
}

Values causes_of(const Run& run, const Analysis& analysis) {
  Values values;
  for (const Cause& cause : analysis.causes) {
    std::string what = word_of(cause.kind);
    if (cause.kind == CauseKind::late_rank || cause.kind == CauseKind::order) what += " " + std::to_string(cause.rank);
    if (cause.kind == CauseKind::huge_tensor) what += " " + valid_utf8(run.names.text(cause.name));
    values[what] += per_step(cause.lost, analysis.judged);
  }
  return values;
}

Values waits_of(const Run& run, const Analysis& analysis) {
  Values values;
  for (const TensorWait& wait : analysis.waits.tensors)
    values[valid_utf8(run.names.text(wait.name))] = milliseconds(wait.waited) / std::max(1U, wait.count);
  return values;
}

/// What is missing on one side counts as zero there.
std::vector<Change> changes(const Values& before, const Values& after) {
  std::map<std::string, Change> joined;
  for (const auto& [what, value] : before) joined[what].before = value;
  for (const auto& [what, value] : after) joined[what].after = value;
  std::vector<Change> found;
  for (auto& [what, change] : joined) found.push_back({what, "ms", change.before, change.after});
  std::stable_sort(found.begin(), found.end(), [](const Change& a, const Change& b) {
    return std::abs(a.after - a.before) > std::abs(b.after - b.before);
  });
  return found;
}

std::vector<std::string> missing_in(const Values& other, const Values& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values)
    if (!other.contains(name)) names.push_back(name);
  return names;
}

std::vector<Change> figures_of(const Analysis& before, const Analysis& after) {
  const auto time = [&](const char* what, auto&& value) {
    return Change{what, "ms", milliseconds(value(before)), milliseconds(value(after))};
  };
  std::vector<Change> figures{
      time("step", [](const Analysis& run) { return run.step; }),
      time("step, 95 %", [](const Analysis& run) { return run.step_p95; }),
      time("exposed communication", [](const Analysis& run) { return run.exposed; }),
      time("waiting for others", [](const Analysis& run) { return run.stages.waiting; }),
      time("agreeing", [](const Analysis& run) { return run.stages.agreeing; }),
      time("starting", [](const Analysis& run) { return run.stages.starting; }),
      time("moving", [](const Analysis& run) { return run.stages.moving; }),
  };
  const auto number = [](std::size_t value) { return static_cast<double>(value); };
  figures.push_back({"achieved", "bytes/s", before.rates.achieved, after.rates.achieved});
  figures.push_back({"batches", "batches", number(before.batches.count), number(after.batches.count)});
  figures.push_back({"batch in the middle", "bytes", static_cast<double>(before.batches.median_bytes),
                     static_cast<double>(after.batches.median_bytes)});
  figures.push_back({"steps", "steps", number(before.steps.size()), number(after.steps.size())});
  return figures;
}

}  // namespace

Difference compare(const Run& before, const Analysis& analysis_before, const Run& after,
                   const Analysis& analysis_after) {
  const Values waits_before = waits_of(before, analysis_before);
  const Values waits_after = waits_of(after, analysis_after);
  return {figures_of(analysis_before, analysis_after),
          changes(causes_of(before, analysis_before), causes_of(after, analysis_after)),
          changes(waits_before, waits_after), missing_in(waits_after, waits_before),
          missing_in(waits_before, waits_after)};
}

}  // namespace treering::tools
