#include "topology/build/balanced_search.h"

#include <algorithm>
#include <optional>

namespace treering::topology {

namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

/// Table look-ups of the dynamic program, and evaluations of exchanges; some 50 million take a second.
constexpr std::int64_t step_budget = 16'000'000;
constexpr std::int64_t cheap_table = 60'000;
constexpr int kicks = 3000;

class Searcher {
 public:
  Searcher(const PairGraph& graph, int rounds, const std::vector<int>& roots,
           const std::vector<std::vector<int>>& fixed, std::vector<std::vector<int>>& parents)
      : graph_(graph), roots_(roots), parents_(parents), load_(graph.pairs().size()) {
    if (rounds > 0) table_.emplace(graph, rounds);
    for (const auto& parent : parents_) limit_.push_back(rounds_needed(parent));
    Wide least = graph.pairs()[0].capacity;
    for (const Pair& pair : graph.pairs()) least = std::min(least, pair.capacity);
    for (const Pair& pair : graph.pairs())
      width_.push_back(static_cast<double>(pair.capacity) / static_cast<double>(least));
    for (const auto& parent : fixed) put(parent, 1);
  }

  void run(const Rational& goal) {
    spread();
    settle();
    for (int kick = 0; kick < kicks && steps_ < step_budget && worst() > goal; ++kick) {
      const auto parents = parents_;
      const auto load = load_;
      const double cost = total();
      disturb();
      settle();
      if (total() <= cost) continue;
      parents_ = parents;
      load_ = load;
    }
  }

 private:
  Rational worst() const {
    Rational result;
    for (std::size_t pair = 0; pair < load_.size(); ++pair)
      result = std::max(result, Rational::of(load_[pair], graph_.pairs()[pair].capacity));
    return result;
  }

  /// Convex, so that one very full pair costs more than many half full ones.
  double cost(std::size_t pair, int load) const {
    const double fullness = load / width_[pair], squared = fullness * fullness;
    return squared * squared * squared * squared;
  }

  double total() const {
    double sum = 0;
    for (std::size_t pair = 0; pair < load_.size(); ++pair) sum += cost(pair, load_[pair]);
    return sum;
  }

  void put(const std::vector<int>& parent, int sign) {
    for (const auto& [a, b] : edges_of(parent)) load_[index(graph_.between(a, b))] += sign;
  }

  /// First choice: one tree after the other against the load so far, several at a time where the tables are dear.
  void spread() {
    const std::size_t at_once = cheap() ? 1 : (parents_.size() + 3) / 4;
    for (std::size_t tree = 0; tree < parents_.size(); ++tree) {
      if (table_ && tree % at_once == 0) weigh(0);
      if (auto best = table_ ? table_->best(roots_[tree]) : std::nullopt) parents_[tree] = std::move(*best);
      put(parents_[tree], 1);
    }
    steps_ = 0;
  }

  void settle() {
    for (bool changed = true; changed && steps_ < step_budget;) {
      changed = false;
      for (std::size_t tree = 0; tree < parents_.size(); ++tree) changed = improve(tree) || changed;
    }
  }

  bool improve(std::size_t tree) {
    const double before = total();
    if (cheap())
      answer(tree, 0);
    else
      exchange(tree);
    return total() < before * (1 - 1e-12);
  }

  bool cheap() const { return table_ && table_->steps() <= cheap_table; }

  /// Values pairs by what one more tree on them would cost; noise in per mille of the price leads elsewhere.
  void weigh(std::uint32_t noise) {
    std::vector<std::int64_t> values;
    for (std::size_t pair = 0; pair < load_.size(); ++pair) {
      const double price = cost(pair, load_[pair] + 1) - cost(pair, load_[pair]);
      const double factor = 1 + (noise == 0 ? 0 : static_cast<double>(random() % noise) / 1000);
      values.push_back(-static_cast<std::int64_t>(std::min(price * factor * 4096, 1e16)));
    }
    table_->weigh(values);
    steps_ += table_->steps();
  }

  /// Best tree against the load of the others.
  void answer(std::size_t tree, std::uint32_t noise) {
    put(parents_[tree], -1);
    weigh(noise);
    if (auto best = table_->best(roots_[tree])) parents_[tree] = std::move(*best);
    put(parents_[tree], 1);
  }

  /// Lets two members other than the root change places, or one move below another member, while that costs less.
  void exchange(std::size_t tree) {
    std::vector<int>& parent = parents_[tree];
    put(parent, -1);
    std::vector<double> price;
    for (std::size_t pair = 0; pair < load_.size(); ++pair)
      price.push_back(cost(pair, load_[pair] + 1) - cost(pair, load_[pair]));
    while (places_changed(tree, price) || member_moved(tree, price)) {
    }
    put(parent, 1);
  }

  bool places_changed(std::size_t tree, const std::vector<double>& price) {
    std::vector<int>& parent = parents_[tree];
    double now = price_of(parent, price);
    bool changed = false;
    for (int a = 0; a < graph_.members(); ++a)
      for (int b = a + 1; b < graph_.members(); ++b) {
        if (a == roots_[tree] || b == roots_[tree]) continue;
        exchange_places(parent, a, b);
        const double then = price_of(parent, price);
        if (then < now * (1 - 1e-12)) {
          now = then;
          changed = true;
        } else {
          exchange_places(parent, a, b);
        }
      }
    return changed;
  }

  bool member_moved(std::size_t tree, const std::vector<double>& price) {
    std::vector<int>& parent = parents_[tree];
    bool changed = false;
    for (int child = 0; child < graph_.members(); ++child)
      for (int other = 0; other < graph_.members(); ++other) {
        const int old = parent[index(child)], pair = graph_.between(other, child);
        ++steps_;
        if (old < 0 || pair < 0 || price[index(pair)] >= price[index(graph_.between(old, child))] * (1 - 1e-12))
          continue;
        steps_ += 4 * graph_.members();
        parent[index(child)] = other;
        const bool fits = tree_height(parent) >= 0 && rounds_needed(parent) <= limit_[tree];
        if (!fits) parent[index(child)] = old;
        changed = changed || fits;
      }
    return changed;
  }

  double price_of(const std::vector<int>& parent, const std::vector<double>& price) {
    steps_ += graph_.members();
    double sum = 0;
    for (int member = 0; member < graph_.members(); ++member) {
      if (parent[index(member)] < 0) continue;
      const int pair = graph_.between(parent[index(member)], member);
      sum += pair < 0 ? 1e30 : price[index(pair)];
    }
    return sum;
  }

  static void exchange_places(std::vector<int>& parent, int a, int b) {
    std::swap(parent[index(a)], parent[index(b)]);
    for (int& value : parent) value = value == a ? b : value == b ? a : value;
  }

  bool exists(const std::vector<int>& parent) const {
    return std::ranges::all_of(edges_of(parent),
                               [&](const auto& edge) { return graph_.between(edge.first, edge.second) >= 0; });
  }

  void disturb() {
    if (cheap()) {
      for (int i = 0; i < 3; ++i) answer(random() % parents_.size(), 2000);
      return;
    }
    for (int i = 0; i < 3; ++i) {
      const std::size_t tree = random() % parents_.size();
      const int a = static_cast<int>(random()) % graph_.members(), b = static_cast<int>(random()) % graph_.members();
      std::vector<int> other = parents_[tree];
      exchange_places(other, a, b);
      if (a == b || a == roots_[tree] || b == roots_[tree] || !exists(other)) continue;
      put(parents_[tree], -1);
      parents_[tree] = std::move(other);
      put(parents_[tree], 1);
    }
    steps_ += graph_.members();
  }

  /// A fixed sequence: every rank must plan the same.
  std::uint32_t random() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 34);
  }

  const PairGraph& graph_;
  const std::vector<int>& roots_;
  std::vector<std::vector<int>>& parents_;
  std::optional<BalancedTrees> table_;
  std::vector<int> limit_;  ///< rounds that each tree may take
  std::vector<int> load_;
  std::vector<double> width_;
  std::int64_t steps_ = 0;
  std::uint64_t state_ = 1;
};

}  // namespace

void spare_worst_pair(const PairGraph& graph, int rounds, const std::vector<int>& roots, const Rational& goal,
                      const std::vector<std::vector<int>>& fixed, std::vector<std::vector<int>>& parents) {
  Searcher(graph, rounds, roots, fixed, parents).run(goal);
}

}  // namespace treering::topology
