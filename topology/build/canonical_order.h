#pragma once

#include <vector>

#include "topology/link_graph.h"

namespace treering::topology {

/// An order of the vertices that depends on the shape of the graph, not on its labels: two graphs that differ in labels
/// only look the same when their vertices are taken in this order. Members keep coming before switches. `colour` (one
/// per vertex, may be empty) tells vertices apart that options treat differently. Refinement of colours by weighted
/// degree, then search over the vertices of the first ambiguous class for the least matrix. The search is cut off on
/// graphs with very many symmetries, where nearly every branch gives the same matrix anyway.
std::vector<int> canonical_order(const LinkGraph& graph, const std::vector<int>& colour);

/// The graph with vertex order[i] in place i.
LinkGraph reordered(const LinkGraph& graph, const std::vector<int>& order);

}  // namespace treering::topology
