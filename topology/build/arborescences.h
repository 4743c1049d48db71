#pragma once

#include <optional>
#include <vector>

#include "topology/build/rational.h"

namespace treering::topology {

/// Directed integer capacities between members only, row-major from row to column.
struct Arcs {
  int members = 0;
  std::vector<Wide> capacity;

  explicit Arcs(int count) : members(count), capacity(static_cast<std::size_t>(count * count)) {}
  Wide& at(int from, int to) { return capacity[static_cast<std::size_t>(from * members + to)]; }
  Wide at(int from, int to) const { return capacity[static_cast<std::size_t>(from * members + to)]; }
};

/// A spanning tree directed away from its root, taken `count` times.
struct Arborescence {
  int root = 0;
  std::vector<int> parent;
  Wide count = 0;
};

/// Packs roots[i] spanning arborescences rooted at each member i into the arcs, so that no arc is used more often than
/// its capacity. nullopt if some member cannot receive from all roots at once (then no packing exists). All copies of a
/// root grow together, breadth first; an arc is admitted to as many of them as leave the rest possible, which one
/// maximum flow tells (Edmonds 1973, Lovasz 1976; multiplicities as in ForestColl, arXiv 2402.06787). So the number of
/// different trees depends on the graph, not on the capacities.
std::optional<std::vector<Arborescence>> pack_arborescences(Arcs arcs, const std::vector<Wide>& roots);

}  // namespace treering::topology
