#include "topology/build/arborescences.h"

#include <algorithm>
#include <tuple>

#include "topology/build/max_flow.h"
#include "topology/build/tree_shape.h"

namespace treering::topology {

namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

constexpr int outside = -2;

bool complete(const Arborescence& tree) { return std::ranges::count(tree.parent, outside) == 0; }

/// Trees that are not complete yet, complete ones, and what capacity is left.
class Growth {
 public:
  Growth(Arcs arcs, const std::vector<Wide>& roots) : left_(std::move(arcs)) {
    for (int root = 0; root < left_.members; ++root) {
      if (roots[index(root)] <= 0) continue;
      Arborescence tree{root, std::vector<int>(index(left_.members), outside), roots[index(root)]};
      tree.parent[index(root)] = -1;
      growing_.push_back(std::move(tree));
    }
  }

  bool feasible() const {
    Wide all = 0;
    for (const Arborescence& tree : growing_) all = add(all, tree.count);
    for (int target = 0; target < left_.members; ++target) {
      MaxFlow flow(left_.members + 1);
      add_arcs(flow);
      for (const Arborescence& tree : growing_) flow.add_edge(left_.members, tree.root, tree.count);
      if (flow.run(left_.members, target, all) < all) return false;
    }
    return true;
  }

  /// The tree that has reached fewest grows next, so that all get their share of short ways.
  std::optional<std::vector<Arborescence>> grow_all() {
    while (!growing_.empty()) {
      const auto smallest = std::ranges::max_element(
          growing_, {}, [](const Arborescence& tree) { return std::ranges::count(tree.parent, outside); });
      Arborescence tree = std::move(*smallest);
      growing_.erase(smallest);
      if (!complete(tree) && !extend(tree)) return std::nullopt;
      (complete(tree) ? done_ : growing_).push_back(std::move(tree));
    }
    return std::move(done_);
  }

 private:
  void add_arcs(MaxFlow& flow) const {
    for (int from = 0; from < left_.members; ++from)
      for (int to = 0; to < left_.members; ++to) flow.add_edge(from, to, left_.at(from, to));
  }

  /// Adds the best arc to all copies that can have it; the others go back to the trees that grow later.
  bool extend(Arborescence& tree) {
    const std::vector<int> depth = depths(tree.parent);
    for (const auto& [from, to] : candidates(tree, depth)) {
      const Wide copies = admissible(tree, from, to);
      if (copies <= 0) continue;
      if (copies < tree.count) {
        growing_.push_back(tree);
        growing_.back().count -= copies;
        tree.count = copies;
      }
      tree.parent[index(to)] = from;
      left_.at(from, to) -= copies;
      return true;
    }
    return false;
  }

  /// Arcs that leave the tree: near the root first, then those with most capacity left.
  Edges candidates(const Arborescence& tree, const std::vector<int>& depth) const {
    Edges result;
    for (int from = 0; from < left_.members; ++from)
      for (int to = 0; to < left_.members; ++to)
        if (tree.parent[index(from)] != outside && tree.parent[index(to)] == outside && left_.at(from, to) > 0)
          result.emplace_back(from, to);
    std::ranges::sort(result, {}, [&](const auto& arc) {
      return std::tuple(depth[index(arc.first)], -left_.at(arc.first, arc.second), arc);
    });
    return result;
  }

  /// How many copies of the tree can take the arc so that all other trees can still be completed.
  Wide admissible(const Arborescence& tree, int from, int to) const {
    MaxFlow flow(left_.members + static_cast<int>(growing_.size()));
    add_arcs(flow);
    Wide others = 0;
    int vertex = left_.members;
    for (const Arborescence& other : growing_) {
      flow.add_edge(from, vertex, other.count);
      for (int member = 0; member < left_.members; ++member)
        if (other.parent[index(member)] != outside) flow.add_edge(vertex, member, MaxFlow::unlimited);
      others = add(others, other.count);
      ++vertex;
    }
    const Wide most = std::min(tree.count, left_.at(from, to));
    return std::min(most, subtract(flow.run(from, to, add(others, most)), others));
  }

  Arcs left_;
  std::vector<Arborescence> growing_, done_;
};

}  // namespace

std::optional<std::vector<Arborescence>> pack_arborescences(Arcs arcs, const std::vector<Wide>& roots) {
  Growth growth(std::move(arcs), roots);
  if (!growth.feasible()) return std::nullopt;
  return growth.grow_all();
}

}  // namespace treering::topology
