#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "topology/build/pair_graph.h"

namespace treering::topology {

/// Trees that a broadcast can follow in a fixed number of rounds, each member passing the data on to at most one other
/// per round: binomial trees and their parts. Finds the one of largest total value for a root, exactly, by dynamic
/// programming over (rounds left, member, set of members it is responsible for). Sets are bit masks, so members are
/// limited.
class BalancedTrees {
 public:
  static constexpr int most_members = 16;

  BalancedTrees(const PairGraph& graph, int rounds);

  std::int64_t steps() const { return steps_; }  ///< cost of one call of weigh, in table look-ups
  /// Sets the value of each pair (any sign; sums must fit 62 bits) and fills the tables.
  void weigh(const std::vector<std::int64_t>& values);
  /// Parents of the best tree for `root`; nullopt if its links do not allow one.
  std::optional<std::vector<int>> best(int root) const;

 private:
  using Set = std::uint32_t;

  std::size_t at(int member, Set set) const {
    return set * static_cast<std::size_t>(members_) + static_cast<std::size_t>(member);
  }
  void plan_sizes();
  void fill_gifts(int level);
  void fill_level(int level);
  void fill_set(int level, Set set);
  struct Choice {
    std::int64_t value;
    Set gift;  ///< set passed on in the first round; empty = none
  };
  Choice choose(int level, int member, Set set) const;
  int receiver(int level, int member, Set gift) const;
  void unfold(int level, int member, Set set, std::vector<int>& parent) const;

  const PairGraph& graph_;
  int members_, rounds_;
  std::int64_t steps_ = 0;
  std::vector<std::vector<bool>> sizes_;         ///< [rounds left][size]: sets of that size are needed
  std::vector<std::vector<Set>> of_size_;        ///< [size]: all sets, ascending
  std::vector<std::int64_t> values_;             ///< member x member
  std::vector<std::vector<std::int64_t>> best_;  ///< [rounds left]: (set, member) -> value
  std::vector<std::vector<std::int64_t>> gift_;  ///< [rounds left]: (set, giver) -> value of passing the set on
};

/// Rounds that a broadcast along the tree takes when each member serves its children one per round, longest first.
int rounds_needed(const std::vector<int>& parent);

/// Hangs members elsewhere along existing pairs while that makes the last, or the sum of all, receive earlier: for
/// trees that no table can afford.
void hurry(const PairGraph& graph, std::vector<int>& parent);

/// Children of each member in that order.
std::vector<std::vector<int>> children_by_urgency(const std::vector<int>& parent);

}  // namespace treering::topology
