#pragma once

#include <string>
#include <vector>

#include "ops/simulated_forest.h"
#include "tools/treering_topo/options.h"
#include "topology/build/cost.h"
#include "topology/build/forest.h"
#include "topology/hardware/projection.h"

namespace treering::tools {

/// Everything that is shown, in whichever form.
struct Report {
  std::string source;  ///< file or "this machine"
  topology::Format format = topology::Format::unknown;
  std::vector<std::string> warnings;
  topology::HardwareGraph graph;
  std::vector<int> devices;  ///< nodes of the graph
  topology::Projection projection;
  topology::CostConstants constants;
  std::vector<topology::Forest> forests;
  std::vector<std::uint64_t> sizes;
  std::optional<std::uint64_t> explain;
  std::optional<std::uint64_t> simulate;
};

/// The forest's programs run in virtual time; nothing if there are too many members.
std::optional<ops::ForestRun> simulated_run(const Report& report, const topology::Forest& forest, std::uint64_t bytes);

/// Every forest's programs run in virtual time, beside what the closed form says.
std::string simulation_text(const Report& report, std::uint64_t bytes);

std::string text_report(const Report& report);
std::string json_report(const Report& report);
std::string dot_of_machine(const Report& report);
std::string dot_of_trees(const Report& report);
/// Drawings of all trees.
std::string svg_of_trees(const Report& report);

}  // namespace treering::tools
