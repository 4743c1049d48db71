#include "tools/treering_timeline/number_operations.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace treering::tools {
namespace {

using Place = std::pair<std::uint64_t, std::uint32_t>;  ///< round, item

}  // namespace

void number_operations(Run& run) {
  std::vector<std::vector<Place>> agreed(run.names.size());
  for (const RankTrace& rank : run.ranks)
    for (const TensorLife& life : rank.tensors)
      if (life.agreed != unknown) agreed[life.name].emplace_back(life.round, life.item);
  for (std::vector<Place>& places : agreed) {
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
  }
  for (RankTrace& rank : run.ranks) {
    std::vector<std::uint32_t> further(run.names.size());
    for (TensorLife& life : rank.tensors) {
      const std::vector<Place>& places = agreed[life.name];
      if (life.agreed == unknown) {
        life.occurrence = static_cast<std::uint32_t>(places.size()) + further[life.name]++;
      } else {
        const auto found = std::lower_bound(places.begin(), places.end(), Place(life.round, life.item));
        life.occurrence = static_cast<std::uint32_t>(found - places.begin());
      }
    }
  }
}

}  // namespace treering::tools
