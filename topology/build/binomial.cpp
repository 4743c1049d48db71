#include <algorithm>
#include <bit>
#include <map>

#include "topology/build/balanced_search.h"
#include "topology/build/cores.h"
#include "topology/build/route_trees.h"
#include "topology/build/tree_pricing.h"

namespace treering::topology {

namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

/// Tables beyond this would take too long for a tree that is a makeshift anyway.
constexpr std::int64_t relaxed_steps = 8'000'000;
/// Capacities are values here: their sums over a tree must stay exact.
constexpr Wide largest_value = Wide{1} << 57;

std::vector<std::int64_t> capacity_values(const PairGraph& graph) {
  std::vector<std::int64_t> values;
  for (const Pair& pair : graph.pairs()) {
    if (pair.capacity > largest_value) throw Overflow();
    values.push_back(static_cast<std::int64_t>(pair.capacity));
  }
  return values;
}

class Planner {
 public:
  Planner(const PairGraph& graph, const BuildOptions& options)
      : graph_(graph), options_(options), roots_(options.roots), parents_() {
    for (int member = 0; options.roots.empty() && member < graph.members(); ++member) roots_.push_back(member);
    rounds_ = static_cast<int>(std::bit_width(static_cast<unsigned>(graph.members() - 1)));
    parents_.resize(roots_.size());
  }

  Forest plan() {
    if (graph_.members() > BalancedTrees::most_members) {
      note("more than " + std::to_string(BalancedTrees::most_members) + " members: breadth-first trees", -1);
      for (std::size_t i = 0; i < roots_.size(); ++i) breadth_first(i);
    } else {
      plan_balanced();
    }
    Forest forest;
    for (std::size_t i = 0; i < roots_.size(); ++i)
      forest.trees.push_back({roots_[i], Rational::of(1, static_cast<Wide>(roots_.size())), parents_[i], {}});
    for (const auto& [why, roots] : notes_) forest.relaxed.push_back({why, roots});
    return forest;
  }

 private:
  void plan_balanced() {
    std::vector<std::size_t> strict, relaxed;
    heaviest(strict, relaxed);
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < roots_.size(); ++i)
      if (!std::ranges::binary_search(strict, i) && !std::ranges::binary_search(relaxed, i)) others.push_back(i);
    if (options_.binomial == BuildOptions::Binomial::joint) {
      spare(strict, rounds_);
      spare(relaxed, rounds_ + 1);
      spare(others, 0);
    }
    for (std::size_t i = 0; i < roots_.size(); ++i)
      if (!std::ranges::binary_search(strict, i)) explain(i);
  }

  /// Fills parents_ and sorts roots by the rounds their trees take; breadth-first trees are in neither list.
  void heaviest(std::vector<std::size_t>& strict, std::vector<std::size_t>& relaxed) {
    BalancedTrees table(graph_, rounds_), longer(graph_, rounds_ + 1);
    const bool affordable = longer.steps() <= relaxed_steps;
    std::vector<std::int64_t> values = capacity_values(graph_);
    bool longer_ready = false;
    table.weigh(values);
    for (std::size_t i = 0; i < roots_.size(); ++i) {
      if (auto best = table.best(roots_[i])) {
        parents_[i] = std::move(*best);
        strict.push_back(i);
      } else {
        if (affordable && !std::exchange(longer_ready, true)) longer.weigh(values);
        auto relaxed_tree = affordable ? longer.best(roots_[i]) : std::nullopt;
        if (relaxed_tree) {
          parents_[i] = std::move(*relaxed_tree);
          relaxed.push_back(i);
        } else {
          breadth_first(i);
        }
      }
      if (options_.binomial != BuildOptions::Binomial::penalised) continue;
      penalise(parents_[i]);
      values = penalised_values();
      table.weigh(values);
      longer_ready = false;
    }
  }

  void breadth_first(std::size_t i) {
    std::vector<Wide> prices;
    for (const Pair& pair : graph_.pairs()) prices.push_back(-pair.capacity);
    parents_[i] = level_tree(graph_, prices, roots_[i], graph_.members());
    hurry(graph_, parents_[i]);
  }

  void explain(std::size_t i) {
    int links = 0;
    for (int other = 0; other < graph_.members(); ++other) links += graph_.between(roots_[i], other) >= 0;
    // With g links the root reaches at most all but 2^(rounds-g) - 1 of the 2^rounds places.
    const int places = (1 << rounds_) + 1 - (links < rounds_ ? 1 << (rounds_ - links) : 1);
    std::string why = "no balanced tree of " + std::to_string(rounds_) + " rounds, because ";
    why += graph_.members() > places ? "the root has only " + std::to_string(links) + (links == 1 ? " link" : " links")
                                     : std::string("the links do not allow one");
    note(why + "; takes " + std::to_string(rounds_needed(parents_[i])), roots_[i]);
  }

  void penalise(const std::vector<int>& parent) {
    uses_.resize(graph_.pairs().size());
    for (const auto& [a, b] : edges_of(parent)) ++uses_[index(graph_.between(a, b))];
  }

  std::vector<std::int64_t> penalised_values() const {
    Wide most = 1;
    for (const Pair& pair : graph_.pairs()) most = std::max(most, pair.capacity);
    std::vector<std::int64_t> values;
    for (std::size_t pair = 0; pair < uses_.size(); ++pair) {
      double value = static_cast<double>(graph_.pairs()[pair].capacity) / static_cast<double>(most);
      for (int use = 0; use < uses_[pair]; ++use) value *= options_.link_usage_penalty.value();
      values.push_back(static_cast<std::int64_t>(value * 0x1p50));
    }
    return values;
  }

  void spare(const std::vector<std::size_t>& which, int rounds) {
    if (which.empty()) return;
    std::vector<int> roots;
    std::vector<std::vector<int>> fixed, chosen;
    for (std::size_t i = 0; i < roots_.size(); ++i) {
      const bool moves = std::ranges::binary_search(which, i);
      (moves ? chosen : fixed).push_back(parents_[i]);
      if (moves) roots.push_back(roots_[i]);
    }
    spare_worst_pair(graph_, rounds, roots, goal(), fixed, chosen);
    for (std::size_t i = 0; i < which.size(); ++i) parents_[which[i]] = std::move(chosen[i]);
  }

  /// Trees per capacity that some pair must carry, however they are chosen: whole trees, at least roots / strength.
  Rational goal() const {
    LinkGraph graph(graph_.members(), graph_.members());
    for (const auto& [a, b, capacity] : graph_.pairs())
      graph.at(a, b) = graph.at(b, a) = static_cast<std::int64_t>(capacity);
    const Rational least = Rational(static_cast<std::int64_t>(roots_.size())) / allreduce_bound(graph).rate;
    Rational best = Rational(static_cast<std::int64_t>(roots_.size()));
    for (const Pair& pair : graph_.pairs()) {
      const Rational trees = least * Rational::of(pair.capacity, 1);
      const Wide whole = (trees.numerator() + trees.denominator() - 1) / trees.denominator();
      best = std::min(best, Rational::of(whole, pair.capacity));
    }
    return best;
  }

  void note(const std::string& why, int root) {
    notes_[why];
    if (root >= 0) notes_[why].push_back(root);
  }

  const PairGraph& graph_;
  const BuildOptions& options_;
  std::vector<int> roots_;
  int rounds_ = 0;
  std::vector<std::vector<int>> parents_;
  std::vector<int> uses_;
  std::map<std::string, std::vector<int>> notes_;
};

}  // namespace

Forest plan_binomial(const LinkGraph& graph, const BuildOptions& options) {
  const RoutedPairs routed = routed_pairs(graph);
  Forest forest = Planner(routed.graph, options).plan();
  route_along(routed, forest.trees);
  return forest;
}

}  // namespace treering::topology
