#pragma once

#include <vector>

#include "ops/arithmetic.h"
#include "ops/batch_shape.h"
#include "topology/plan.h"

namespace treering::ops {

/// What the allreduce compilers ask about one member's place in the plan.
struct Context {
  const topology::Plan& plan;
  const Geometry& geometry;
  const BatchShape& shape;
  Place self;
  Sharing sharing;
  Arithmetic arithmetic;
  CounterLayout counters;

  Context(const topology::Plan& the_plan, const Geometry& the_geometry, const BatchShape& the_shape, Place the_self);

  const topology::NodePlan& node() const { return plan.nodes[static_cast<std::size_t>(self.node)]; }
  int members() const { return static_cast<int>(node().ranks.size()); }
  std::vector<int> others() const;

  const topology::Tree& tree(int share) const { return node().trees[static_cast<std::size_t>(share)]; }
  bool roots(int share) const { return tree(share).root == self.member; }
  /// On the way down.
  int parent(int share) const { return tree(share).parent[static_cast<std::size_t>(self.member)]; }
  std::vector<int> children(int share, int member) const { return children_in(tree(share), member); }
  /// On the way up, which may be another tree of the same root.
  bool reduces_apart() const { return !node().reduce_trees.empty(); }
  const topology::Tree& up_tree(int share) const { return node().reduce_tree(static_cast<std::size_t>(share)); }
  int up_parent(int share) const { return up_tree(share).parent[static_cast<std::size_t>(self.member)]; }
  std::vector<int> up_children(int share, int member) const { return children_in(up_tree(share), member); }
  /// Members of this node that root an active share, ascending.
  std::vector<int> owners() const;
  int root_rank(int node_index, int share) const;

  bool crosses() const { return geometry.nodes > 1; }
  bool exchanges() const { return exchanges_directly(geometry, sharing); }
  /// Chunks outnumber places, so places are used again.
  bool reuses() const { return sharing.chunks > geometry.depth; }
  /// Chunks of equal index modulo this have equal roles between nodes.
  int unroll() const;
  std::uint64_t groups() const;
  std::int64_t depth() const { return static_cast<std::int64_t>(geometry.depth); }

  static std::vector<int> children_in(const topology::Tree& tree, int member);

  CounterRef counter(int member, std::uint16_t index) const { return {static_cast<std::uint16_t>(member), index}; }
  CounterRef mine(std::uint16_t index) const { return counter(self.member, index); }
};

inline Operand input_of(int member) { return {Space::input, static_cast<std::uint16_t>(member), 0, 0}; }
inline Operand output_of(int member) { return {Space::output, static_cast<std::uint16_t>(member), 0, 0}; }
inline Operand slot_of(int member, int region, std::int64_t shift = 0) {
  return {Space::slot, static_cast<std::uint16_t>(member), static_cast<std::uint16_t>(region), shift};
}

}  // namespace treering::ops
