#pragma once

#include <optional>

#include "topology/build/pair_graph.h"
#include "topology/build/strands.h"

namespace treering::topology {

/// A graph without switches whose pairs can be used in both directions at once.
struct StrandedPairs {
  PairGraph graph;  ///< capacities in units of 1/scale
  Strands strands;  ///< from the lower to the higher member; amounts sum to the pair's capacity
  Wide scale = 1;
};

/// Replaces the switches of a graph with equal capacities in both directions by pairs of members, keeping the allreduce
/// bound: two links of a switch are spliced as far as no partition of the members falls below `rate` (Newton steps on
/// the partition that does first). nullopt if capacities in the two directions differ. Usually the rate is kept
/// exactly; the strength of the result tells.
std::optional<StrandedPairs> remove_switches_evenly(const LinkGraph& graph, const Rational& rate);

}  // namespace treering::topology
