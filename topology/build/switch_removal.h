#pragma once

#include <optional>
#include <vector>

#include "topology/build/arborescences.h"
#include "topology/build/strands.h"
#include "topology/link_graph.h"

namespace treering::topology {

/// A graph without switches, and what each of its arcs stands for.
struct StrandedArcs {
  Arcs arcs;
  Strands strands;  ///< amounts sum to the arc's capacity
};

/// Replaces switches by direct arcs between members such that every member can still receive roots[i] from each member
/// i at once, given that it can through the switches: pairs of arcs into and out of a switch are spliced as far as
/// maximum flows allow (edge splitting: Mader 1978, Jackson 1988; as in ForestColl, arXiv 2402.06787). Capacities are
/// multiplied by `scale` first. Where in- and outgoing capacity of a switch differ, what cannot be spliced is dropped.
StrandedArcs remove_switches(const LinkGraph& graph, Wide scale, const std::vector<Wide>& roots);

}  // namespace treering::topology
