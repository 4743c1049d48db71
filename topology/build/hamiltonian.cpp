#include "topology/build/hamiltonian.h"

#include <algorithm>

namespace treering::topology {

namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

constexpr Wide never = Wide{1} << 124;

/// Least price of visiting a set of members, for each last member; from any start or from member 0 only.
class Tour {
 public:
  Tour(const PairGraph& graph, const std::vector<Wide>& prices, bool from_first)
      : members_(graph.members()), price_(index(members_ * members_), never) {
    for (std::size_t pair = 0; pair < prices.size(); ++pair) {
      const Pair& ends = graph.pairs()[pair];
      price_[index(ends.a * members_ + ends.b)] = price_[index(ends.b * members_ + ends.a)] = prices[pair];
    }
    sets_ = std::size_t{1} << members_;
    best_.assign(sets_ * index(members_), never);
    for (int start = 0; start < (from_first ? 1 : members_); ++start) cell(std::size_t{1} << start, start) = 0;
    for (std::size_t set = 1; set < sets_; ++set)
      for (int last = 0; last < members_; ++last)
        if (cell(set, last) < never) extend(set, last);
  }

  /// Price of the whole path that ends at `last`.
  Wide total(int last) const { return best_[(sets_ - 1) * index(members_) + index(last)]; }
  Wide between(int a, int b) const { return price_[index(a * members_ + b)]; }

  std::vector<int> path(int last) const {
    std::vector<int> result{last};
    std::size_t set = sets_ - 1;
    while (result.size() < index(members_)) {
      const int at = result.back();
      const std::size_t before = set & ~(std::size_t{1} << at);
      int previous = 0;
      while ((before >> previous & 1) == 0 || between(previous, at) >= never ||
             best_[before * index(members_) + index(previous)] + between(previous, at) !=
                 best_[set * index(members_) + index(at)])
        ++previous;
      result.push_back(previous);
      set = before;
    }
    std::ranges::reverse(result);
    return result;
  }

 private:
  Wide& cell(std::size_t set, int last) { return best_[set * index(members_) + index(last)]; }

  void extend(std::size_t set, int last) {
    for (int next = 0; next < members_; ++next) {
      if ((set >> next & 1) != 0 || between(last, next) >= never) continue;
      Wide& target = cell(set | std::size_t{1} << next, next);
      target = std::min(target, cell(set, last) + between(last, next));
    }
  }

  int members_;
  std::size_t sets_ = 0;
  std::vector<Wide> price_, best_;
};

}  // namespace

std::optional<std::vector<int>> widest_path(const PairGraph& graph) {
  // A price that counts narrow pairs first: one more of a width costs more than all wider ones together.
  std::vector<Wide> widths;
  for (const Pair& pair : graph.pairs()) widths.push_back(pair.capacity);
  std::ranges::sort(widths, std::greater());
  widths.erase(std::ranges::unique(widths).begin(), widths.end());
  std::vector<Wide> prices;
  for (const Pair& pair : graph.pairs()) {
    const auto rank = std::ranges::find(widths, pair.capacity) - widths.begin();
    Wide price = 1;
    for (std::ptrdiff_t step = 0; step < std::min<std::ptrdiff_t>(rank, 25); ++step) price *= most_on_path;
    prices.push_back(price);
  }
  const Tour tour(graph, prices, false);
  int best = 0;
  for (int last = 1; last < graph.members(); ++last)
    if (tour.total(last) < tour.total(best)) best = last;
  if (tour.total(best) >= never) return std::nullopt;
  return tour.path(best);
}

std::optional<std::vector<int>> cheapest_cycle(const PairGraph& graph, const std::vector<Wide>& prices) {
  const Tour tour(graph, prices, true);
  int best = -1;
  Wide least = never;
  for (int last = 1; last < graph.members(); ++last) {
    if (tour.total(last) >= never || tour.between(last, 0) >= never) continue;
    const Wide price = add(tour.total(last), tour.between(last, 0));
    if (price >= least) continue;
    best = last;
    least = price;
  }
  if (best < 0) return std::nullopt;
  return tour.path(best);
}

}  // namespace treering::topology
