#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ops/counters.h"
#include "ops/program.h"
#include "topology/plan.h"

namespace treering::ops {

/// How the nodes of a ring are passed: each chunk starts one node further on (`ring`), or always at node 0 (`chain`).
enum class CrossOrder : std::uint8_t { ring, chain };

/// What follows from the plan alone and is therefore equal on all ranks: how slot memory is cut and how deep the
/// pipelines are.
struct Geometry {
  int nodes = 1;
  int shares = 1;
  int widest = 1;                     ///< largest number of members of a node
  std::uint64_t slot_bytes = 0;       ///< per lane and member; at least the plan's
  std::uint64_t chunk = 64;           ///< allreduce: largest chunk
  std::uint64_t depth = 1;            ///< allreduce: chunks of a share that may be under way
  std::vector<std::uint64_t> bounds;  ///< sums of the shares' weights, from 0 to all; empty = equal shares
  std::uint64_t spread_chunk = 1;     ///< broadcast and allgather
  std::uint64_t spread_depth = 1;

  CounterLayout counters() const { return {shares > widest ? shares : widest}; }
  /// Tree slots of a share, and, between nodes, where its incoming partial sums land.
  Region tree_region(int share) const;
  Region inbox_region(int share) const;
  /// Slots for what a member feeds into a broadcast or allgather, and for what it relays.
  Region feed_region() const { return {0, spread_chunk, spread_depth}; }
  Region relay_region() const { return {spread_depth * spread_chunk, spread_chunk, spread_depth}; }
  /// Rings up to 16 nodes; beyond, a chain, whose pipeline needs no place per node and which then loses little.
  CrossOrder order(bool deterministic) const;
};

Geometry geometry_of(const topology::Plan& plan);

/// How the bytes of one batch are split: `active` contiguous shares, by weight or of nearly equal size, all with the
/// same number of chunks; a light share has smaller ones. A function of the plan and the number of bytes, so equal on
/// all nodes.
struct Sharing {
  std::uint64_t bytes = 0;
  int active = 1;
  std::span<const std::uint64_t> bounds;  ///< the geometry's; empty = equal shares
  std::uint64_t chunk = 64;               ///< the largest
  std::uint64_t chunks = 1;

  Range range(int share) const;

 private:
  friend Sharing share_out(const Geometry& geometry, std::uint64_t bytes);
  /// Where a share begins, in units of 64 bytes; the last one ends where share `active` would begin.
  std::uint64_t cut(int share) const;
};

/// The result refers to `geometry`.
Sharing share_out(const Geometry& geometry, std::uint64_t bytes);
Sharing share_out(Geometry&& geometry, std::uint64_t bytes) = delete;

/// True if partial sums are exchanged between all nodes at once instead of passing round.
bool exchanges_directly(const Geometry& geometry, const Sharing& sharing);

}  // namespace treering::ops
