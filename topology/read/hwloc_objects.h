#pragma once

#include <pugixml.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "topology/read/context.h"

namespace treering::topology {

/// Nodes of the graph that objects of an hwloc file became, by "Type:gp_index" as distance matrices name them.
using HwlocObjects = std::map<std::string, int>;

/// Walks the tree of objects and adds NUMA domains, PCIe switches, GPUs and NICs. NVSwitches become one node. Bridges
/// with a single child are ports, not switches, and vanish.
HwlocObjects read_hwloc_objects(const pugi::xml_node& topology, ReadContext& context);

}  // namespace treering::topology
