#include "tools/treering_timeline/waits.h"

#include <algorithm>
#include <bit>
#include <map>

#include "tools/treering_timeline/intervals.h"

namespace treering::tools {
namespace {

struct Sums {
  TensorWait wait;
  std::map<int, std::uint32_t> last;  ///< rank, how often
};

void add_to_histogram(Waits& waits, Nanoseconds waited) {
  const auto microseconds = static_cast<std::uint64_t>(std::max<Nanoseconds>(0, waited) / 1000);
  const auto slot = microseconds == 0 ? 0 : static_cast<std::size_t>(std::bit_width(microseconds)) - 1;
  ++waits.histogram[std::min(slot, waits.histogram.size() - 1)];
}

void add(const Joined& joined, const Operation& operation, Sums& sums, Waits& waits) {
  ++sums.wait.count;
  sums.wait.bytes = std::max(sums.wait.bytes, operation.bytes);
  if (operation.lives.size() < 2 || !joined.complete(operation)) return;
  std::vector<Nanoseconds> ready;
  std::size_t last = 0;
  for (const LifeAt at : operation.lives) {
    ready.push_back(joined.life(at).ready);
    if (ready.back() > ready[last]) last = ready.size() - 1;
  }
  const Nanoseconds everywhere = ready[last];
  for (const Nanoseconds when : ready) add_to_histogram(waits, everywhere - when);
  sums.wait.longest = std::max(sums.wait.longest, everywhere - *std::min_element(ready.begin(), ready.end()));
  sums.wait.waited += everywhere - lower_median(std::move(ready));
  ++sums.last[joined.run().ranks[operation.lives[last].rank].rank];
}

}  // namespace

Waits waits_of(const Joined& joined) {
  std::vector<Sums> by_name(joined.run().names.size());
  Waits waits;
  for (const Operation& operation : joined.operations()) add(joined, operation, by_name[operation.name], waits);
  for (std::uint32_t name = 0; name < by_name.size(); ++name) {
    Sums& sums = by_name[name];
    if (sums.wait.count == 0) continue;
    sums.wait.name = name;
    for (const auto& [rank, count] : sums.last)
      if (count > sums.wait.last_count) sums.wait.usually_last = rank, sums.wait.last_count = count;
    waits.tensors.push_back(sums.wait);
  }
  std::stable_sort(waits.tensors.begin(), waits.tensors.end(),
                   [](const TensorWait& a, const TensorWait& b) { return a.waited > b.waited; });
  return waits;
}

}  // namespace treering::tools
