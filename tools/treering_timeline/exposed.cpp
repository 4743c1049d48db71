#include "tools/treering_timeline/exposed.h"

#include <algorithm>

#include "tools/treering_timeline/intervals.h"

namespace treering::tools {

Nanoseconds exposed_in(const Joined& joined, const Step& step, std::size_t rank, const Busy& busy) {
  if (!busy.waiting.empty()) return total(clipped(busy.waiting, step.when));
  Nanoseconds handed_over = unknown;
  Nanoseconds done = unknown;
  for (const std::uint32_t index : step.operations) {
    for (const LifeAt at : joined.operations()[index].lives) {
      if (at.rank != rank) continue;
      handed_over = std::max(handed_over, joined.life(at).enqueued);
      done = std::max(done, joined.life(at).done);
    }
  }
  return Interval{handed_over, done}.length();
}

}  // namespace treering::tools
