#include <algorithm>
#include <numeric>

#include "topology/build/packing_program.h"
#include "topology/build/tree_packing.h"
#include "topology/build/tree_pricing.h"

namespace treering::topology {

namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

std::vector<Wide> capacities(const PairGraph& graph) {
  std::vector<Wide> result;
  for (const Pair& pair : graph.pairs()) result.push_back(pair.capacity);
  return result;
}

/// Exact arithmetic on one matrix element of the simplex is the unit; some 50 million take a second.
constexpr std::int64_t step_budget = 15'000'000;

class Generator {
 public:
  Generator(const PairGraph& graph, const Rational& target) : graph_(graph), target_(target) {}

  void generate(int max_height) {
    PackingProgram program(capacities(graph_));
    try {
      for (int height = 1; height <= max_height && program.value() < target_; ++height) fill(program, height);
    } catch (const Overflow&) {
      // What was packed before stands.
    }
    best_ = read(program);
  }

  /// Solves again without one of the trees in use, as long as that takes fewer.
  void thin_out() {
    if (best_.value < target_) return;
    for (std::size_t i = best_.trees.size(); i-- > 0;) {
      const int dropped = find(best_.trees[i].pairs);
      TreePacking other = repack(dropped);
      if (other.value < target_ || other.trees.size() >= best_.trees.size()) continue;
      best_ = std::move(other);
      i = best_.trees.size();
    }
  }

  TreePacking take() { return std::move(best_); }

 private:
  void fill(PackingProgram& program, int height) {
    while (program.value() < target_ && steps_ < step_budget) {
      const std::optional<PricedTree> tree = price(program, height);
      if (!tree || tree->price >= program.price_scale()) return;
      enter(program, tree->pairs);
    }
  }

  std::optional<PricedTree> price(const PackingProgram& program, int height) const {
    if (height >= graph_.members() - 1) return cheapest_tree(graph_, program.prices());
    std::optional<PricedTree> tree = cheap_low_tree(graph_, program.prices(), height);
    // The quick search misses no star; of higher trees, small graphs get the exact search before the height is given
    // up.
    const bool settled = height == 1 || graph_.members() > exact_members;
    if (settled || (tree && tree->price < program.price_scale())) return tree;
    return cheapest_low_tree(graph_, program.prices(), height);
  }

  void enter(PackingProgram& program, const std::vector<int>& pairs) {
    int column = find(pairs);
    if (column < 0) {
      column = static_cast<int>(pool_.size());
      pool_.push_back(pairs);
    }
    program.enter(column, pairs);
    const auto rows = static_cast<std::int64_t>(graph_.pairs().size());
    steps_ += rows * rows;
  }

  int find(const std::vector<int>& pairs) const {
    const auto at = std::ranges::find(pool_, pairs);
    return at == pool_.end() ? -1 : static_cast<int>(at - pool_.begin());
  }

  TreePacking repack(int without) {
    PackingProgram program(capacities(graph_));
    try {
      for (bool moved = true; moved && program.value() < target_ && steps_ < step_budget;) {
        moved = false;
        for (int column = 0; column < static_cast<int>(pool_.size()); ++column) {
          if (column == without || program.price_of(pool_[index(column)]) >= program.price_scale()) continue;
          enter(program, pool_[index(column)]);
          moved = true;
        }
      }
    } catch (const Overflow&) {
      return {};
    }
    return read(program);
  }

  TreePacking read(const PackingProgram& program) const {
    TreePacking packing;
    packing.value = program.value();
    for (const auto& [column, weight] : program.amounts()) packing.trees.push_back({pool_[index(column)], weight});
    sort_by_weight(packing.trees);
    return packing;
  }

  const PairGraph& graph_;
  const Rational target_;
  std::vector<std::vector<int>> pool_;
  TreePacking best_;
  std::int64_t steps_ = 0;
};

}  // namespace

void sort_by_weight(std::vector<WeightedTree>& trees) {
  std::ranges::sort(trees, [](const WeightedTree& a, const WeightedTree& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.pairs < b.pairs;
  });
}

TreePacking pack_low_trees(const PairGraph& graph, const Rational& target, int max_height) {
  Generator generator(graph, target);
  generator.generate(max_height);
  generator.thin_out();
  return generator.take();
}

}  // namespace treering::topology
