#include "topology/build/hamiltonian.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace treering::topology {

namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

constexpr Wide never = Wide{1} << 124;

using Set = std::uint32_t;

/// Which members can be last on a path that visits exactly a set, over pairs of at least some width.
class Visits {
 public:
  Visits(const PairGraph& graph, Wide width, bool from_first) : members_(graph.members()), next_(index(members_)) {
    for (const Pair& pair : graph.pairs()) {
      if (pair.capacity < width) continue;
      next_[index(pair.a)] |= Set{1} << pair.b;
      next_[index(pair.b)] |= Set{1} << pair.a;
    }
    last_.resize(std::size_t{1} << members_);
    for (int start = 0; start < (from_first ? 1 : members_); ++start) last_[Set{1} << start] = Set{1} << start;
    for (Set set = 1; set < last_.size(); ++set)
      for (Set ends = last_[set]; ends != 0; ends &= ends - 1)
        for (Set onward = next_[index(std::countr_zero(ends))] & ~set; onward != 0; onward &= onward - 1)
          last_[set | (onward & (~onward + 1))] |= onward & (~onward + 1);
  }

  /// Members at which a path through all can end, out of `wanted`.
  Set ends(Set wanted) const { return last_.back() & wanted; }
  Set neighbours(int member) const { return next_[index(member)]; }

  std::vector<int> path_to(int end) const {
    std::vector<int> path{end};
    for (Set set = static_cast<Set>(last_.size() - 1) & ~(Set{1} << end); set != 0; set &= ~(Set{1} << path.back()))
      path.push_back(std::countr_zero(last_[set] & next_[index(path.back())]));
    std::ranges::reverse(path);
    return path;
  }

 private:
  int members_;
  std::vector<Set> next_, last_;
};

std::optional<std::vector<int>> widest_tour(const PairGraph& graph, bool cycle) {
  std::vector<Wide> widths;
  for (const Pair& pair : graph.pairs()) widths.push_back(pair.capacity);
  std::ranges::sort(widths, std::greater());
  widths.erase(std::ranges::unique(widths).begin(), widths.end());
  for (const Wide width : widths) {
    const Visits visits(graph, width, cycle);
    if (const Set ends = visits.ends(cycle ? visits.neighbours(0) : ~Set{0}); ends != 0)
      return visits.path_to(std::countr_zero(ends));
  }
  return std::nullopt;
}

/// Least price of visiting a set of members from member 0 on, for each last member.
class Tour {
 public:
  Tour(const PairGraph& graph, const std::vector<Wide>& prices)
      : members_(graph.members()), price_(index(members_ * members_), never) {
    for (std::size_t pair = 0; pair < prices.size(); ++pair) {
      const Pair& ends = graph.pairs()[pair];
      price_[index(ends.a * members_ + ends.b)] = price_[index(ends.b * members_ + ends.a)] = prices[pair];
    }
    sets_ = std::size_t{1} << members_;
    best_.assign(sets_ * index(members_), never);
    cell(1, 0) = 0;
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

std::optional<std::vector<int>> widest_path(const PairGraph& graph) { return widest_tour(graph, false); }

std::optional<std::vector<int>> widest_cycle(const PairGraph& graph) { return widest_tour(graph, true); }

std::optional<std::vector<int>> cheapest_cycle(const PairGraph& graph, const std::vector<Wide>& prices) {
  const Tour tour(graph, prices);
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
