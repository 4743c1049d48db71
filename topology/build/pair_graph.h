#pragma once

#include <vector>

#include "topology/build/tree_shape.h"
#include "topology/build/wide.h"
#include "topology/link_graph.h"

namespace treering::topology {

/// Two members that can exchange data, a < b, at `capacity` in each direction at once.
struct Pair {
  int a = 0;
  int b = 0;
  Wide capacity = 0;
};

/// The graph as trees see it: symmetric capacities between members, switches hidden.
class PairGraph {
 public:
  PairGraph(int members, std::vector<Pair> pairs);

  int members() const { return members_; }
  const std::vector<Pair>& pairs() const { return pairs_; }
  int between(int a, int b) const { return id_[static_cast<std::size_t>(a * members_ + b)]; }  ///< pair index or -1
  bool connected() const;
  Edges edges(const std::vector<int>& pair_ids) const;

 private:
  int members_;
  std::vector<Pair> pairs_;
  std::vector<int> id_;
};

/// Direct links only; a pair has the capacity of its weaker direction.
PairGraph direct_pairs(const LinkGraph& graph);

/// Pairs joined by a direct link or through switches, each with the capacity of its widest route on its own (of those
/// the one with the fewest hops): what they would get if nobody else used the switches. routes[i] runs from a to b of
/// pair i.
struct RoutedPairs {
  PairGraph graph;
  std::vector<std::vector<int>> routes;
};
RoutedPairs routed_pairs(const LinkGraph& graph);

}  // namespace treering::topology
