#include "tools/treering_timeline/steps.h"

#include <algorithm>
#include <map>

namespace treering::tools {
namespace {

/// How many requests most of the repeated names had; 1 if none is repeated.
std::uint32_t usual_count(const std::vector<std::uint32_t>& counts) {
  std::map<std::uint32_t, std::size_t> names_by_count;
  for (const std::uint32_t count : counts)
    if (count > 1) ++names_by_count[count];
  std::uint32_t best = 1;
  std::size_t most = 0;
  for (const auto& [count, names] : names_by_count)
    if (names >= most) best = count, most = names;
  return best;
}

void widen(Interval& interval, Nanoseconds begin, Nanoseconds end) {
  if (begin != unknown && (interval.begin == unknown || begin < interval.begin)) interval.begin = begin;
  if (end != unknown && (interval.end == unknown || end > interval.end)) interval.end = end;
}

Step one_step(const Joined& joined) {
  Step step;
  step.when = {joined.run().begin, joined.run().end};
  for (std::uint32_t index = 0; index < joined.operations().size(); ++index) step.operations.push_back(index);
  return step;
}

/// Begins of the first rank's marks "step".
std::vector<Nanoseconds> marked_steps(const Run& run) {
  std::vector<Nanoseconds> begins;
  for (const NamedSpan& mark : run.ranks.front().marks)
    if (mark.begin != unknown && run.names.text(mark.name) == "step") begins.push_back(mark.begin);
  std::sort(begins.begin(), begins.end());
  return begins;
}

std::vector<Step> steps_between(const Joined& joined, const std::vector<Nanoseconds>& begins) {
  std::vector<Step> steps(begins.size());
  for (std::uint32_t number = 0; number < begins.size(); ++number) {
    steps[number].number = number;
    steps[number].when = {begins[number], number + 1 < begins.size() ? begins[number + 1] : begins[number]};
  }
  for (std::uint32_t index = 0; index < joined.operations().size(); ++index) {
    const LifeAt first = joined.operations()[index].lives.front();
    const TensorLife& life = joined.life(first);
    const auto after = std::upper_bound(begins.begin(), begins.end(), life.enqueued);
    if (first.rank != 0 || after == begins.begin()) continue;
    Step& step = steps[static_cast<std::size_t>(after - begins.begin()) - 1];
    step.operations.push_back(index);
    if (after == begins.end()) step.when.end = std::max(step.when.end, life.done);  // nothing ends the last one
  }
  std::erase_if(steps, [](const Step& step) { return step.when.length() == 0; });
  return steps;
}

}  // namespace

std::vector<Step> find_steps(const Joined& joined) {
  if (const std::vector<Nanoseconds> begins = marked_steps(joined.run()); begins.size() > 1) {
    std::vector<Step> steps = steps_between(joined, begins);
    if (!steps.empty()) return steps;
  }
  std::vector<std::uint32_t> counts(joined.run().names.size());
  for (const Operation& operation : joined.operations()) ++counts[operation.name];
  const std::uint32_t usual = usual_count(counts);
  if (usual < 2) return {one_step(joined)};

  std::map<std::uint32_t, Step> steps;
  for (std::uint32_t index = 0; index < joined.operations().size(); ++index) {
    const Operation& operation = joined.operations()[index];
    if (counts[operation.name] + 1 < usual || counts[operation.name] > usual + 1)
      continue;  // the run's ends may lack one
    Step& step = steps[operation.occurrence];
    step.number = operation.occurrence;
    step.operations.push_back(index);
    for (const LifeAt at : operation.lives) widen(step.when, joined.life(at).enqueued, joined.life(at).done);
  }
  std::vector<Step> found;
  for (auto& [number, step] : steps) {
    if (!step.when.known()) continue;
    if (!found.empty() && found.back().number + 1 == number) step.when.begin = found.back().when.end;
    if (step.when.known()) found.push_back(std::move(step));
  }
  return found.empty() ? std::vector{one_step(joined)} : found;
}

}  // namespace treering::tools
