#include "tools/treering_timeline/join.h"

#include <algorithm>
#include <tuple>

namespace treering::tools {

Joined::Joined(const Run& run) : run_(run) {
  std::size_t count = 0;
  for (const RankTrace& rank : run.ranks) count += rank.tensors.size();
  lives_.reserve(count);
  for (std::uint32_t rank = 0; rank < run.ranks.size(); ++rank)
    for (std::uint32_t index = 0; index < run.ranks[rank].tensors.size(); ++index) lives_.push_back({rank, index});
  const auto key = [this](const LifeAt& at) { return std::tuple(life(at).occurrence, life(at).name, at.rank); };
  std::sort(lives_.begin(), lives_.end(), [&key](const LifeAt& a, const LifeAt& b) { return key(a) < key(b); });
  for (std::size_t first = 0; first < lives_.size();) {
    const TensorLife& one = life(lives_[first]);
    Operation operation{one.name, one.occurrence, one.bytes, {}};
    std::size_t last = first;
    for (; last < lives_.size(); ++last) {
      const TensorLife& other = life(lives_[last]);
      if (other.name != one.name || other.occurrence != one.occurrence) break;
      operation.bytes = std::max(operation.bytes, other.bytes);
    }
    operation.lives = std::span(lives_).subspan(first, last - first);
    operations_.push_back(operation);
    first = last;
  }
}

bool Joined::complete(const Operation& operation) const {
  return operation.lives.size() == run_.ranks.size() &&
         std::all_of(operation.lives.begin(), operation.lives.end(),
                     [this](LifeAt at) { return life(at).ready != unknown && life(at).enqueued != unknown; });
}

LifeAt Joined::last(const Operation& operation) const {
  return *std::max_element(operation.lives.begin(), operation.lives.end(),
                           [this](LifeAt a, LifeAt b) { return life(a).ready < life(b).ready; });
}

}  // namespace treering::tools
