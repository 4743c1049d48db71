#include "ops/slot_waits.h"

#include <algorithm>
#include <numeric>

#include "topology/build/tree_shape.h"

namespace treering::ops {

namespace {

std::size_t at(int member) { return static_cast<std::size_t>(member); }

std::vector<int> takers_of(const topology::Tree& down, int member) {
  std::vector<int> takers;
  for (std::size_t other = 0; other < down.parent.size(); ++other)
    if (down.parent[other] == member) takers.push_back(static_cast<int>(other));
  if (takers.empty() && member != down.root) takers.push_back(member);
  return takers;
}

}  // namespace

std::vector<std::vector<int>> slot_waits(const topology::Tree& up, const topology::Tree& down) {
  const std::vector<int> depth = topology::depths(up.parent);
  std::vector<int> deepest_first(up.parent.size());
  std::iota(deepest_first.begin(), deepest_first.end(), 0);
  std::ranges::stable_sort(deepest_first, std::greater(), [&](int member) { return depth[at(member)]; });

  std::vector<std::vector<int>> waits(up.parent.size());
  std::vector<std::vector<bool>> known(up.parent.size(), std::vector<bool>(up.parent.size()));
  for (const int member : deepest_first) {
    std::vector<bool>& own = known[at(member)];
    for (const int taker : takers_of(down, member)) {
      if (!own[at(taker)]) waits[at(member)].push_back(taker);
      for (int has = taker; has >= 0; has = down.parent[at(has)]) own[at(has)] = true;
    }
    if (member == up.root) continue;
    std::vector<bool>& above = known[at(up.parent[at(member)])];
    for (std::size_t other = 0; other < own.size(); ++other) above[other] = above[other] || own[other];
  }
  return waits;
}

}  // namespace treering::ops
