#pragma once

#include "topology/build/forest.h"

namespace treering::topology {

/// The builders proper. They get at least two members, connected in both directions, and non-negative capacities, and
/// fill trees, reduce_trees, operation and reason; build_forest does the rest. Edges without a route take the direct
/// link. They may throw Overflow.
Forest plan_packed(const LinkGraph& graph, const BuildOptions& options);
Forest plan_binomial(const LinkGraph& graph, const BuildOptions& options);
Forest plan_forest(const LinkGraph& graph, const BuildOptions& options);
Forest plan_star(const LinkGraph& graph, const BuildOptions& options);
Forest plan_chain(const LinkGraph& graph, const BuildOptions& options);
Forest plan_ring(const LinkGraph& graph, const BuildOptions& options);

}  // namespace treering::topology
