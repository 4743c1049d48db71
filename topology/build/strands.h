#pragma once

#include <vector>

#include "topology/build/forest.h"

namespace treering::topology {

/// Part of the capacity from one vertex to another, and the vertices it runs through, both ends included.
struct Strand {
  Wide amount = 0;
  std::vector<int> path;
};

/// What the arcs of a graph stand for when vertices between them have been taken out.
class Strands {
 public:
  explicit Strands(int vertices);

  const std::vector<Strand>& between(int from, int to) const { return list_[place(from, to)]; }
  Wide capacity(int from, int to) const { return capacity_[place(from, to)]; }
  void put(int from, int to, Strand strand);
  Strand take(int from, int to, Wide most);  ///< of the last strand, all or `most` of it; there must be one
  /// Turns `amount` of the strands from `from` to `by` and from `by` to `to` into strands from end to end. Loops that
  /// arise are cut off.
  void splice(int from, int by, int to, Wide amount);

 private:
  std::size_t place(int from, int to) const {
    return static_cast<std::size_t>(from) * static_cast<std::size_t>(vertices_) + static_cast<std::size_t>(to);
  }

  int vertices_;
  std::vector<std::vector<Strand>> list_;
  std::vector<Wide> capacity_;
};

enum class Use {
  one_way,   ///< a strand carries data from its first vertex to its last
  both_ways  ///< strands are kept from the lower to the higher member and carry data in both directions at once
};

/// Routes trees whose share is given as capacity (a strand's amount over `scale`) along the strands. A tree that needs
/// more than one strand between the same two members, or a fraction that its neighbours need otherwise, becomes several
/// trees. The result's shares are still capacities.
std::vector<ForestTree> routed_trees(const std::vector<ForestTree>& trees, const Strands& strands, Wide scale, Use use);

}  // namespace treering::topology
