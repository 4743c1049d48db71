#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/tunables.h"
#include "topology/plan.h"
#include "topology/read/read.h"
#include "treering/config.h"
#include "treering/status.h"

namespace treering {

inline constexpr int most_shares = 16;

/// Stars in every node: the plan where nothing is known of the hardware, and where results must not depend on batching.
topology::Plan star_plan(const std::vector<int>& node_of, const Tunables& tunables);

/// Bytes of each rank's area that suffice for any plan of this job: known before there is a plan.
std::size_t most_area_bytes(const std::vector<int>& node_of, const Tunables& tunables);

/// What rank 0 has decided, for all.
struct PlanChoice {
  std::optional<topology::Plan> plan;  ///< none: stars
  std::string why;                     ///< for people
  std::vector<std::string> warnings;   ///< one line each
  Status problem;                      ///< not ok: nobody may start
};

/// Reads Config::topology, at most topology::most_topology_bytes of it. Without a graph, the last warning says why.
topology::ReadResult read_topology_file(const std::string& path);

/// The plan for a job of ranks on the nodes of `node_of` and the configuration of rank 0. `file` is what
/// Config::topology holds, and counts only if one is configured. Pure; never throws.
PlanChoice choose_plan(const Config& config, const Tunables& tunables, const std::vector<int>& node_of,
                       const topology::ReadResult& file);

}  // namespace treering
