#include "topology/build/tree_pricing.h"

#include <algorithm>
#include <bit>

namespace treering::topology {

namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

constexpr Wide never = Wide{1} << 124;

Wide price_between(const PairGraph& graph, const std::vector<Wide>& prices, int a, int b) {
  const int pair = graph.between(a, b);
  return pair < 0 ? never : prices[index(pair)];
}

PricedTree tree_from(const PairGraph& graph, const std::vector<Wide>& prices, const std::vector<int>& parent) {
  PricedTree tree;
  for (const auto& [a, b] : edges_of(parent)) {
    tree.pairs.push_back(graph.between(a, b));
    tree.price = add(tree.price, prices[index(tree.pairs.back())]);
  }
  std::ranges::sort(tree.pairs);
  return tree;
}

/// Tables over sets of members as bit masks.
class LowTrees {
 public:
  LowTrees(const PairGraph& graph, const std::vector<Wide>& prices)
      : graph_(graph), prices_(prices), sets_(std::size_t{1} << graph.members()) {
    nearest_.assign(sets_ * index(graph.members()), 0);
    attach_.assign(sets_ * sets_, 0);
    for (std::size_t level = 1; level < sets_; ++level) {
      for (int child = 0; child < graph.members(); ++child)
        nearest_[level * index(graph.members()) + index(child)] = nearest(level, child);
      for (std::size_t next = 1; next < sets_; ++next) {
        const int child = std::countr_zero(next);
        const Wide price = price_between(graph, prices, parent_in(level, child), child);
        attach_[level * sets_ + next] = std::min(never, attach_[level * sets_ + (next & (next - 1))] + price);
      }
    }
  }

  std::optional<PricedTree> cheapest(int height) {
    finish_.assign(index(height) + 1, std::vector<Wide>(sets_ * sets_, never));
    for (std::size_t level = 1; level < sets_; ++level)
      for (auto& table : finish_) table[(sets_ - 1) * sets_ + level] = 0;
    for (int levels = 1; levels <= height; ++levels)
      for (std::size_t reached = 1; reached + 1 < sets_; ++reached)
        for (std::size_t last = reached; last > 0; last = (last - 1) & reached)
          finish_[index(levels)][reached * sets_ + last] = best_next(levels, reached, last).first;
    int root = 0;
    const auto from = [&](int member) { return finish_[index(height)][(sets_ + 1) << member]; };
    for (int member = 1; member < graph_.members(); ++member)
      if (from(member) < from(root)) root = member;
    if (from(root) >= never) return std::nullopt;
    return unfold(height, root);
  }

 private:
  /// Member of `level` with the cheapest link to `child`.
  int nearest(std::size_t level, int child) const {
    const int lowest = std::countr_zero(level);
    if ((level & (level - 1)) == 0) return lowest;
    const int other = parent_in(level & (level - 1), child);
    return price_between(graph_, prices_, other, child) < price_between(graph_, prices_, lowest, child) ? other
                                                                                                        : lowest;
  }

  int parent_in(std::size_t level, int child) const { return nearest_[level * index(graph_.members()) + index(child)]; }

  std::pair<Wide, std::size_t> best_next(int levels, std::size_t reached, std::size_t last) const {
    std::pair<Wide, std::size_t> best{never, 0};
    const std::size_t open = (sets_ - 1) & ~reached;
    for (std::size_t next = open; next > 0; next = (next - 1) & open) {
      const Wide price = attach_[last * sets_ + next] + finish_[index(levels - 1)][(reached | next) * sets_ + next];
      if (price < best.first) best = {price, next};
    }
    return best;
  }

  PricedTree unfold(int height, int root) const {
    std::vector<int> parent(index(graph_.members()), -1);
    std::size_t reached = std::size_t{1} << root, last = reached;
    for (int levels = height; reached + 1 != sets_; --levels) {
      const std::size_t next = best_next(levels, reached, last).second;
      for (std::size_t rest = next; rest != 0; rest &= rest - 1)
        parent[index(std::countr_zero(rest))] = parent_in(last, std::countr_zero(rest));
      reached |= next;
      last = next;
    }
    return tree_from(graph_, prices_, parent);
  }

  const PairGraph& graph_;
  const std::vector<Wide>& prices_;
  std::size_t sets_;
  std::vector<int> nearest_;               ///< [level, child]
  std::vector<Wide> attach_;               ///< [level, next]: price of hanging all of `next` under `level`
  std::vector<std::vector<Wide>> finish_;  ///< [levels left][reached, last level]: price of reaching everybody
};

bool under(const std::vector<int>& parent, int member, int ancestor) {
  while (member >= 0 && member != ancestor) member = parent[index(member)];
  return member == ancestor;
}

/// Hangs single members (with what hangs below them) under cheaper parents while that helps.
void improve(const PairGraph& graph, const std::vector<Wide>& prices, int height, std::vector<int>& parent) {
  for (bool changed = true; changed;) {
    changed = false;
    for (int child = 0; child < graph.members(); ++child) {
      if (parent[index(child)] < 0) continue;
      for (int other = 0; other < graph.members(); ++other) {
        if (price_between(graph, prices, other, child) >= price_between(graph, prices, parent[index(child)], child))
          continue;
        if (under(parent, other, child)) continue;
        const int old = std::exchange(parent[index(child)], other);
        changed = tree_height(parent) <= height || changed;
        if (tree_height(parent) > height) parent[index(child)] = old;
      }
    }
  }
}

}  // namespace

std::vector<int> level_tree(const PairGraph& graph, const std::vector<Wide>& prices, int root, int height) {
  std::vector<int> parent(index(graph.members()), -1), depth(index(graph.members()), -1), queue{root};
  depth[index(root)] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const int at = queue[head];
    for (int to = 0; to < graph.members(); ++to) {
      const int pair = graph.between(at, to);
      if (pair < 0) continue;
      if (depth[index(to)] < 0) {
        depth[index(to)] = depth[index(at)] + 1;
        queue.push_back(to);
        parent[index(to)] = at;
      } else if (depth[index(to)] == depth[index(at)] + 1 &&
                 prices[index(pair)] < price_between(graph, prices, parent[index(to)], to)) {
        parent[index(to)] = at;
      }
    }
  }
  const bool fits = static_cast<int>(queue.size()) == graph.members() && depth[index(queue.back())] <= height;
  return fits ? parent : std::vector<int>{};
}

std::optional<PricedTree> cheapest_tree(const PairGraph& graph, const std::vector<Wide>& prices) {
  std::vector<int> parent(index(graph.members()), -1);
  std::vector<Wide> price(index(graph.members()), never);
  std::vector<bool> inside(index(graph.members()));
  price[0] = 0;
  for (int step = 0; step < graph.members(); ++step) {
    int next = -1;
    for (int member = 0; member < graph.members(); ++member)
      if (!inside[index(member)] && (next < 0 || price[index(member)] < price[index(next)])) next = member;
    if (price[index(next)] >= never) return std::nullopt;
    inside[index(next)] = true;
    for (int member = 0; member < graph.members(); ++member) {
      const Wide offer = price_between(graph, prices, next, member);
      if (inside[index(member)] || offer >= price[index(member)]) continue;
      price[index(member)] = offer;
      parent[index(member)] = next;
    }
  }
  return tree_from(graph, prices, parent);
}

std::optional<PricedTree> cheapest_low_tree(const PairGraph& graph, const std::vector<Wide>& prices, int height) {
  return LowTrees(graph, prices).cheapest(height);
}

std::optional<PricedTree> cheap_low_tree(const PairGraph& graph, const std::vector<Wide>& prices, int height) {
  std::optional<PricedTree> best;
  for (int root = 0; root < graph.members(); ++root) {
    std::vector<int> parent = level_tree(graph, prices, root, height);
    if (parent.empty()) continue;
    improve(graph, prices, height, parent);
    PricedTree tree = tree_from(graph, prices, parent);
    if (!best || tree.price < best->price) best = std::move(tree);
  }
  return best;
}

}  // namespace treering::topology
