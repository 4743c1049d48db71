#include "tools/treering_timeline/exposed.h"

#include <algorithm>
#include <vector>

#include "tools/treering_timeline/intervals.h"

namespace treering::tools {
namespace {

constexpr Nanoseconds at_once = 200'000;
constexpr double mostly = 0.8;  // of its hand-overs

struct Moments {
  std::vector<Nanoseconds> handed_over;
  std::vector<Nanoseconds> ended;
};

Moments moments_of(const Joined& joined, const Step& step, std::size_t rank) {
  Moments moments;
  for (const std::uint32_t index : step.operations) {
    for (const LifeAt at : joined.operations()[index].lives) {
      const TensorLife& life = joined.life(at);
      if (at.rank != rank || life.enqueued == unknown || life.done == unknown) continue;
      moments.handed_over.push_back(life.enqueued);
      moments.ended.push_back(life.done);
    }
  }
  std::sort(moments.handed_over.begin(), moments.handed_over.end());
  std::sort(moments.ended.begin(), moments.ended.end());
  return moments;
}

}  // namespace

Nanoseconds exposed_in(const Joined& joined, const Step& step, std::size_t rank) {
  const auto [handed_over, ended] = moments_of(joined, step, rank);
  if (ended.empty()) return 0;
  Nanoseconds waited_each = 0;
  std::size_t followed = 0;
  for (std::size_t at = 0; at + 1 < handed_over.size(); ++at) {
    const auto after = std::upper_bound(ended.begin(), ended.end(), handed_over[at + 1]);
    if (after == ended.begin() || *std::prev(after) < handed_over[at]) continue;
    waited_each += *std::prev(after) - handed_over[at];
    if (handed_over[at + 1] - *std::prev(after) <= at_once) ++followed;
  }
  const Nanoseconds at_the_end = Interval{handed_over.back(), ended.back()}.length();
  const auto gaps = static_cast<double>(handed_over.size() - 1);
  return static_cast<double>(followed) < mostly * gaps ? at_the_end : at_the_end + waited_each;
}

}  // namespace treering::tools
