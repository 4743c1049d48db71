#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/rank_view.h"
#include "topology/build/forest.h"

namespace treering {

/// What is asked of the plan of one node.
struct NodeTask {
  const SeenMachine* machine = nullptr;  ///< null: nothing is known
  std::vector<int> domain;               ///< per member: number of the NUMA domain that it is bound to, or -1
  std::string builder = "auto";
  std::uint64_t bytes = 0;  ///< "auto": the size to be fast at
  int shares = 1;           ///< equal ones, where members meet in memory
};

/// The trees of one node.
struct NodeTrees {
  topology::LinkGraph links;
  topology::Forest forest;
  std::string what;      ///< for people
  std::string declined;  ///< why its machine is not used; then `forest` are stars
  bool plain = false;    ///< stars that nothing speaks against
};

/// What TREERING_BUILDER may say besides "auto".
bool is_node_builder(std::string_view name);
std::string node_builder_names();

/// Members stand for the first devices of a machine that has any. On a machine of NUMA domains, or where nothing is
/// known, they meet in memory: stars, or two levels where that is faster by prediction. Pure; may throw what builders
/// throw.
NodeTrees plan_node(const NodeTask& task);

}  // namespace treering
