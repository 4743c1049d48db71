#include "tools/treering_timeline/moving.h"

#include <algorithm>

#include "tools/treering_timeline/intervals.h"

namespace treering::tools {
namespace {

constexpr double huge_part_of_step = 0.5;
constexpr std::uint64_t huge_times_median = 8;
constexpr std::size_t huge_needs_others = 2;

/// A tensor that outweighs all others of its step together and is far from usual; the number of operations if none is.
std::size_t huge_one(const Joined& joined, const Step& step, double& part) {
  std::vector<Nanoseconds> sizes;
  std::uint64_t sum = 0;
  std::size_t largest = 0;
  for (std::size_t at = 0; at < step.operations.size(); ++at) {
    const std::uint64_t bytes = joined.operations()[step.operations[at]].bytes;
    sizes.push_back(static_cast<Nanoseconds>(bytes));
    sum += bytes;
    if (bytes > joined.operations()[step.operations[largest]].bytes) largest = at;
  }
  if (step.operations.size() <= huge_needs_others || sum == 0) return step.operations.size();
  const std::uint64_t bytes = joined.operations()[step.operations[largest]].bytes;
  part = static_cast<double>(bytes) / static_cast<double>(sum);
  const auto median = static_cast<std::uint64_t>(lower_median(std::move(sizes)));
  return part >= huge_part_of_step && bytes >= huge_times_median * median ? largest : step.operations.size();
}

Nanoseconds ready_everywhere(const Joined& joined, const Operation& operation) {
  Nanoseconds latest = unknown;
  for (const LifeAt at : operation.lives) latest = std::max(latest, joined.life(at).ready);
  return latest;
}

/// From readiness everywhere to the start of its batch, for each operation of one rank.
std::vector<Interval> starts_of(const Joined& joined, const Step& step, std::uint32_t rank) {
  std::vector<Interval> starts;
  for (const std::uint32_t index : step.operations) {
    const Operation& operation = joined.operations()[index];
    if (!joined.complete(operation)) continue;
    const TensorLife& life = joined.life(operation.lives[rank]);
    const Nanoseconds begun = life.started != unknown ? life.started : life.done;
    starts.push_back({ready_everywhere(joined, operation), begun});
  }
  return united(std::move(starts));
}

Nanoseconds median_overhead(const Joined& joined, const Step& step, const std::vector<Busy>& busy) {
  std::vector<Nanoseconds> overheads;
  for (std::uint32_t rank = 0; rank < busy.size(); ++rank)
    overheads.push_back(
        total(difference(clipped(starts_of(joined, step, rank), step.when), clipped(busy[rank].moving, step.when))));
  return std::max<Nanoseconds>(0, lower_median(std::move(overheads)));
}

/// When the huge tensor was agreed but not done, by rank.
std::vector<Interval> huge_times(const Joined& joined, const Operation& operation) {
  std::vector<Interval> times(joined.run().ranks.size());
  for (const LifeAt at : operation.lives) times[at.rank] = {joined.life(at).agreed, joined.life(at).done};
  return times;
}

Nanoseconds median_length(const std::vector<Interval>& times) {
  std::vector<Nanoseconds> lengths;
  for (const Interval& time : times)
    if (time.known()) lengths.push_back(time.length());
  return lengths.empty() ? 0 : lower_median(std::move(lengths));
}

std::uint32_t longest_after_agreement(const Joined& joined, const Step& step) {
  std::uint32_t longest = step.operations.front();
  Nanoseconds time = 0;
  for (const std::uint32_t index : step.operations)
    for (const LifeAt at : joined.operations()[index].lives)
      if (const Nanoseconds length = Interval{joined.life(at).agreed, joined.life(at).done}.length(); length > time)
        time = length, longest = index;
  return longest;
}

}  // namespace

MoveLoss move_loss(const Joined& joined, const Step& step, const std::vector<Busy>& busy) {
  MoveLoss loss;
  if (step.operations.empty()) return loss;
  loss.overhead = median_overhead(joined, step, busy);
  loss.overhead_operation = loss.network_operation = longest_after_agreement(joined, step);
  std::vector<Interval> huge(busy.size());
  if (const std::size_t at = huge_one(joined, step, loss.huge_part); at < step.operations.size()) {
    loss.huge_operation = step.operations[at];
    loss.huge_bytes = joined.operations()[loss.huge_operation].bytes;
    huge = huge_times(joined, joined.operations()[loss.huge_operation]);
    loss.huge = median_length(huge);
  }
  std::vector<Nanoseconds> network;
  std::vector<Nanoseconds> moving;
  for (std::size_t rank = 0; rank < busy.size(); ++rank) {
    const std::vector<Interval> ring = clipped(busy[rank].stages[static_cast<std::size_t>(Stage::ring)], step.when);
    network.push_back(total(difference(ring, united({huge[rank]}))));
    moving.push_back(total(clipped(busy[rank].moving, step.when)));
  }
  loss.network = std::max<Nanoseconds>(0, lower_median(std::move(network)));
  loss.moving = std::max<Nanoseconds>(0, lower_median(std::move(moving)));
  return loss;
}

}  // namespace treering::tools
