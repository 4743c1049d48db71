#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ops/geometry.h"

namespace treering::ops {

/// A chunk's class (index modulo the unrolling) and how far this node is from where the chunk's journey starts.
struct Turn {
  int chunk_class = 0;
  int position = 0;
};

/// The n-th event of a kind, for a kind that happens for some chunk classes in each group, in a fixed order. Its number
/// is the value its counter then has.
class Series {
 public:
  Series(const std::vector<Turn>& turns, int unroll, const std::function<bool(const Turn&)>& happens);

  bool has(int chunk_class) const { return ordinal_[static_cast<std::size_t>(chunk_class)] >= 0; }
  /// True if, in a stream that takes classes in ascending order, a wait for a smaller class has covered this one.
  bool is_covered(int chunk_class) const;
  /// Counter value of the event of that class, by group; `lag` groups back.
  Progression value(int chunk_class, std::int64_t lag = 0) const;
  /// Counter value of the last event, given how many chunks there are; 0 if none.
  std::int64_t last(std::uint64_t chunks) const;

 private:
  int unroll_ = 1;
  int per_group_ = 0;
  std::vector<int> ordinal_;  // per class; -1: does not happen
};

/// What one node does between nodes, and in which order within a group of chunks. A partial sum starts at position 0
/// and grows until position N-1, the last; the result starts there (position 0 of the second journey) and is passed on
/// to all. In a ring, turns are taken by position, not by chunk: what arrives first is handled first.
struct CrossSchedule {
  CrossSchedule(CrossOrder order, int nodes, int node);

  int nodes;
  int unroll;
  std::vector<Turn> reduce;
  std::vector<Turn> result;
  Series partial_sent;
  Series partial_received;
  Series result_sent;
  Series result_received;

  bool is_last(const Turn& turn) const { return turn.position == nodes - 1; }
  /// Class for which this node finishes the reduction, or -1.
  int finished_class() const;
};

}  // namespace treering::ops
