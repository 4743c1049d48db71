#pragma once

#include <string>

#include "topology/hardware/graph.h"

namespace treering::topology {

/// The graph in Treering's own format. What read_topology makes of it is the same graph, but for provenances: whatever
/// a file says counts as said by that file.
std::string plain_text(const HardwareGraph& graph);

}  // namespace treering::topology
