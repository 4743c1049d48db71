#pragma once

#include <vector>

#include "topology/build/wide.h"

namespace treering::topology {

/// Maximum flow by augmenting along shortest paths in level graphs (Dinic 1970). Vertices are 0 .. vertices-1.
class MaxFlow {
 public:
  static constexpr Wide unlimited = Wide{1} << 120;

  explicit MaxFlow(int vertices) : first_(static_cast<std::size_t>(vertices), -1) {}

  void add_edge(int from, int to, Wide capacity);  ///< no-op for capacities <= 0
  /// Flow from source to sink, of at most about `enough` (augmenting stops once it is reached). Call once.
  Wide run(int source, int sink, Wide enough = unlimited);
  /// After run: what flows over each edge, in the order they were added (edges without capacity are not counted).
  std::vector<Wide> flows() const;
  /// After run to the end: vertices that the source still reaches; the smallest minimum cut.
  std::vector<bool> source_side(int source) const;

 private:
  struct Edge {
    int to;
    int next;
    Wide rest;
  };

  bool label_levels(int source, int sink);
  Wide augment(int vertex, int sink, Wide limit);

  std::vector<Edge> edges_;
  std::vector<int> first_, level_, current_;
};

}  // namespace treering::topology
