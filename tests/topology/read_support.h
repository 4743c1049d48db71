#pragma once

#include <string>
#include <vector>

#include "topology/hardware/projection.h"
#include "topology/read/read.h"

namespace treering::topology {

std::string fixture(const std::string& name);  ///< content of tests/topology/fixtures/NAME
ReadResult read_fixture(const std::string& name, const ReadOptions& options = {});
ReadResult read_text(const std::string& text, const ReadOptions& options = {});

Projection project_all(const HardwareGraph& graph);
/// Capacity between members (and other vertices), row by row.
std::vector<std::int64_t> capacities(const LinkGraph& links);
bool warned(const ReadResult& result, const std::string& part);  ///< a warning contains `part`

}  // namespace treering::topology
