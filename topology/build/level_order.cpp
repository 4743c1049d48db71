#include "topology/build/level_order.h"

#include <algorithm>
#include <bit>

#include "topology/build/balanced_trees.h"

namespace treering::topology {

namespace {
std::size_t index(int value) { return static_cast<std::size_t>(value); }
}  // namespace

LevelOrder to_level_order(const std::vector<int>& parent) {
  const int members = static_cast<int>(parent.size());
  const auto children = children_by_urgency(parent);
  const int least = static_cast<int>(std::bit_width(static_cast<unsigned>(std::max(members - 1, 0))));
  const int rounds = std::max({1, least, rounds_needed(parent)});

  LevelOrder arrays;
  std::vector<int> level{static_cast<int>(std::ranges::find(parent, -1) - parent.begin())};
  std::vector<std::size_t> served(parent.size());
  for (int round = 0; round <= rounds; ++round) {
    arrays.scan.push_back(static_cast<int>(arrays.topology.size()));
    arrays.topology.insert(arrays.topology.end(), level.begin(), level.end());
    std::vector<int> next;
    // A member serves its children in its first rounds, so it is repeated only when it has none left.
    for (const int member : level) {
      next.push_back(member);
      const bool serves = served[index(member)] < children[index(member)].size();
      next.push_back(serves ? children[index(member)][served[index(member)]++] : member);
    }
    level = std::move(next);
  }
  arrays.scan.push_back(static_cast<int>(arrays.topology.size()));
  return arrays;
}

std::vector<int> from_level_order(const LevelOrder& arrays, int members, std::string& fault) {
  std::vector<int> parent(index(members), -2);
  fault.clear();
  const std::size_t places = arrays.topology.size();
  if (!std::has_single_bit(places + 1)) fault = "the array does not hold a complete binary tree";
  for (std::size_t place = 0; place < places && fault.empty(); ++place) {
    const int member = arrays.topology[place];
    if (member < 0 || member >= members) {
      fault = "member " + std::to_string(member) + " does not exist";
    } else if (place == 0) {
      parent[index(member)] = -1;
    } else {
      const int above = arrays.topology[(place - 1) / 2];
      if (place % 2 == 1 && member != above) fault = "a left child is not its parent";
      if (place % 2 == 1 || member == above) continue;
      if (parent[index(member)] != -2) fault = "member " + std::to_string(member) + " has two parents";
      parent[index(member)] = above;
    }
  }
  if (fault.empty())
    if (const auto missing = std::ranges::find(parent, -2); missing != parent.end())
      fault = "member " + std::to_string(missing - parent.begin()) + " is missing";
  if (!fault.empty()) parent.clear();
  return parent;
}

}  // namespace treering::topology
