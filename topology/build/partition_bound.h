#pragma once

#include <vector>

#include "topology/build/rational.h"
#include "topology/link_graph.h"

namespace treering::topology {

/// A partition of the members and the sum over its parts of the largest flow that can leave each.
struct Partition {
  std::vector<std::vector<int>> parts;
  std::vector<std::vector<bool>> cuts;  ///< per part: the vertices on its side of the cut that limits what leaves it
  Wide leaving = 0;

  /// What the partition allows: leaving / 2 / (parts - 1).
  Rational rate() const { return Rational::of(leaving, multiply(2, static_cast<Wide>(parts.size()) - 1)); }
};

/// The partition that minimises leaving/2 - rate * (parts - 1). A single part means that every partition allows more.
Partition tightest_partition(const LinkGraph& graph, const Rational& rate);

}  // namespace treering::topology
