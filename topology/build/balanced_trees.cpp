#include "topology/build/balanced_trees.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace treering::topology {

namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

constexpr std::int64_t impossible = -(std::int64_t{1} << 62);

std::int64_t choose_count(int n, int k) {
  std::int64_t result = 1;
  for (int i = 1; i <= k; ++i) result = result * (n - k + i) / i;
  return result;
}

/// Sizes of the set that a member responsible for `size` may pass on in the first of `rounds`.
std::pair<int, int> gift_sizes(int size, int rounds) {
  const int half = 1 << std::min(rounds - 1, 20);
  return {std::max(0, size - half), std::min(size - 1, half)};
}

}  // namespace

BalancedTrees::BalancedTrees(const PairGraph& graph, int rounds)
    : graph_(graph), members_(graph.members()), rounds_(rounds), of_size_(index(members_) + 1) {
  for (Set set = 0; set < Set{1} << members_; ++set) of_size_[index(std::popcount(set))].push_back(set);
  plan_sizes();
}

void BalancedTrees::plan_sizes() {
  sizes_.assign(index(rounds_) + 1, std::vector<bool>(index(members_) + 1));
  sizes_[index(rounds_)][index(members_)] = members_ <= (1 << std::min(rounds_, 20));
  for (int level = rounds_; level > 0; --level)
    for (int size = 1; size <= members_; ++size) {
      if (!sizes_[index(level)][index(size)]) continue;
      const auto [least, most] = gift_sizes(size, level);
      for (int gift = least; gift <= most; ++gift) {
        sizes_[index(level - 1)][index(gift)] = sizes_[index(level - 1)][index(size - gift)] = true;
        steps_ += choose_count(members_, size) * size * choose_count(size - 1, gift);
      }
    }
  for (auto& level : sizes_) level[0] = false;
}

void BalancedTrees::weigh(const std::vector<std::int64_t>& values) {
  values_.assign(index(members_ * members_), impossible);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Pair& pair = graph_.pairs()[i];
    values_[index(pair.a * members_ + pair.b)] = values_[index(pair.b * members_ + pair.a)] = values[i];
  }
  const std::size_t entries = index(members_) << members_;
  best_.resize(index(rounds_));
  gift_.resize(index(rounds_));
  for (int level = 0; level < rounds_; ++level) {
    best_[index(level)].resize(entries);
    gift_[index(level)].resize(entries);
    fill_level(level);
    fill_gifts(level);
  }
}

void BalancedTrees::fill_level(int level) {
  for (int size = 1; size <= members_; ++size) {
    if (!sizes_[index(level)][index(size)]) continue;
    for (const Set set : of_size_[index(size)]) fill_set(level, set);
  }
}

/// For every member of the set at once, since they pass on the same subsets.
void BalancedTrees::fill_set(int level, Set set) {
  const int size = std::popcount(set);
  std::int64_t* const best = &best_[index(level)][at(0, set)];
  for (int member = 0; member < members_; ++member) best[member] = size == 1 && level == 0 ? 0 : impossible;
  if (level == 0) return;
  const auto [least, most] = gift_sizes(size, level);
  const auto& keep = best_[index(level - 1)];
  const auto& give = gift_[index(level - 1)];
  if (least == 0)
    for (int member = 0; member < members_; ++member) best[member] = keep[at(member, set)];

  std::array<Set, std::size_t{1} << most_members> spread;  // pattern -> subset, for as many bits as the set has
  spread[0] = 0;
  Set rest = set;
  for (std::size_t bit = 1; bit < std::size_t{1} << size; bit <<= 1, rest &= rest - 1)
    for (std::size_t pattern = 0; pattern < bit; ++pattern)
      spread[bit | pattern] = spread[pattern] | (rest & (~rest + 1));
  for (int gift_size = std::max(least, 1); gift_size <= most; ++gift_size)
    for (const Set pattern : of_size_[index(gift_size)]) {
      if (pattern >= Set{1} << size) break;
      const Set gift = spread[pattern], kept = set & ~gift;
      for (Set givers = kept; givers != 0; givers &= givers - 1) {
        const int member = std::countr_zero(givers);
        const std::int64_t given = give[at(member, gift)], own = keep[at(member, kept)];
        if (given != impossible && own != impossible) best[member] = std::max(best[member], given + own);
      }
    }
}

void BalancedTrees::fill_gifts(int level) {
  for (int size = 1; size <= members_; ++size) {
    if (!sizes_[index(level)][index(size)]) continue;
    for (const Set set : of_size_[index(size)])
      for (int giver = 0; giver < members_; ++giver) {
        if ((set >> giver & 1) != 0) continue;
        const int child = receiver(level, giver, set);
        gift_[index(level)][at(giver, set)] =
            child < 0 ? impossible : values_[index(giver * members_ + child)] + best_[index(level)][at(child, set)];
      }
  }
}

int BalancedTrees::receiver(int level, int member, Set gift) const {
  int best = -1;
  std::int64_t most = impossible;
  for (Set rest = gift; rest != 0; rest &= rest - 1) {
    const int child = std::countr_zero(rest);
    const std::int64_t link = values_[index(member * members_ + child)];
    const std::int64_t below = best_[index(level)][at(child, gift)];
    if (link == impossible || below == impossible || link + below <= most) continue;
    best = child;
    most = link + below;
  }
  return best;
}

BalancedTrees::Choice BalancedTrees::choose(int level, int member, Set set) const {
  const auto [least, most] = gift_sizes(std::popcount(set), level);
  const Set others = set & ~(Set{1} << member);
  Choice best{impossible, 0};
  const auto& keep = best_[index(level - 1)];
  const auto& give = gift_[index(level - 1)];
  if (least == 0) best.value = keep[at(member, set)];
  for (Set gift = others; gift != 0; gift = (gift - 1) & others) {
    const int size = std::popcount(gift);
    if (size < least || size > most) continue;
    const std::int64_t given = give[at(member, gift)], kept = keep[at(member, set & ~gift)];
    if (given != impossible && kept != impossible && given + kept > best.value) best = {given + kept, gift};
  }
  return best;
}

std::optional<std::vector<int>> BalancedTrees::best(int root) const {
  const Set all = (Set{1} << members_) - 1;
  std::vector<int> parent(index(members_), -1);
  if (members_ == 1) return parent;
  if (!sizes_[index(rounds_)][index(members_)] || choose(rounds_, root, all).value == impossible) return std::nullopt;
  unfold(rounds_, root, all, parent);
  return parent;
}

void BalancedTrees::unfold(int level, int member, Set set, std::vector<int>& parent) const {
  if (std::popcount(set) == 1) return;
  const Set gift = choose(level, member, set).gift;
  if (gift != 0) {
    const int child = receiver(level - 1, member, gift);
    parent[index(child)] = member;
    unfold(level - 1, child, gift, parent);
  }
  unfold(level - 1, member, set & ~gift, parent);
}

std::vector<std::vector<int>> children_by_urgency(const std::vector<int>& parent) {
  const std::vector<int> depth = depths(parent);
  std::vector<int> order(parent.size()), rounds(parent.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](int member) { return std::pair(-depth[index(member)], member); });
  std::vector<std::vector<int>> children(parent.size());
  for (const int member : order) {
    auto& mine = children[index(member)];
    std::ranges::sort(mine, {}, [&](int child) { return std::pair(-rounds[index(child)], child); });
    for (std::size_t turn = 0; turn < mine.size(); ++turn)
      rounds[index(member)] = std::max(rounds[index(member)], rounds[index(mine[turn])] + static_cast<int>(turn) + 1);
    if (parent[index(member)] >= 0) children[index(parent[index(member)])].push_back(member);
  }
  return children;
}

namespace {

struct Rounds {
  int last = 0;
  int sum = 0;
  friend auto operator<=>(const Rounds&, const Rounds&) = default;
};

Rounds rounds_of(const std::vector<int>& parent) {
  const auto children = children_by_urgency(parent);
  const std::vector<int> depth = depths(parent);
  std::vector<int> finish(parent.size()), order(parent.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](int member) { return depth[index(member)]; });
  Rounds rounds;
  for (const int member : order)
    for (std::size_t turn = 0; turn < children[index(member)].size(); ++turn) {
      const int child = children[index(member)][turn];
      finish[index(child)] = finish[index(member)] + static_cast<int>(turn) + 1;
      rounds.last = std::max(rounds.last, finish[index(child)]);
      rounds.sum += finish[index(child)];
    }
  return rounds;
}

}  // namespace

int rounds_needed(const std::vector<int>& parent) { return rounds_of(parent).last; }

void hurry(const PairGraph& graph, std::vector<int>& parent) {
  Rounds now = rounds_of(parent);
  for (bool changed = true; changed;) {
    changed = false;
    for (int child = 0; child < graph.members(); ++child)
      for (int other = 0; other < graph.members(); ++other) {
        if (parent[index(child)] < 0 || graph.between(other, child) < 0) continue;
        const int old = std::exchange(parent[index(child)], other);
        if (tree_height(parent) >= 0 && rounds_of(parent) < now) {
          now = rounds_of(parent);
          changed = true;
        } else {
          parent[index(child)] = old;
        }
      }
  }
}

}  // namespace treering::topology
