#pragma once

#include <string>
#include <vector>

#include "topology/plan.h"

namespace treering::ops::test {

struct NamedPlan {
  std::string name;
  topology::Plan plan;
};

/// Stars, chains, binary trees and mixtures over nodes of many sizes, with slots so small that pipelines wrap round.
std::vector<NamedPlan> plan_shapes();

/// Stars on the nodes given per rank; `shares` at most.
topology::Plan small_star(const topology::JobShape& job, int shares = 16);
topology::Plan small_star(const std::vector<int>& node_of, int shares = 16);

enum class TreeKind { chain, binary };
/// The same, with deeper trees: each share's tree starts at its root and goes round the members.
topology::Plan small_trees(const topology::JobShape& job, TreeKind kind, int shares = 16);
topology::Plan small_trees(const std::vector<int>& node_of, TreeKind kind, int shares = 16);

/// The same plan with shares that come together the other way round the members than their results go.
topology::Plan apart(topology::Plan plan, TreeKind kind);

}  // namespace treering::ops::test
