#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/tunables.h"
#include "engine/rank_view.h"
#include "topology/plan.h"
#include "transport/world.h"
#include "treering/config.h"
#include "treering/status.h"

namespace treering {

inline constexpr int most_shares = 16;

topology::JobShape job_shape(const transport::World& world);

/// Stars in every node: the plan where nothing is known of the hardware, and where results must not depend on batching.
topology::Plan star_plan(const topology::JobShape& job, const Tunables& tunables);

/// Bytes of each member's area that suffice for any plan of this job: known before there is a plan.
std::size_t most_area_bytes(const topology::JobShape& job, const Tunables& tunables);
/// The same for a rank, whichever it is: for as many members as the rank has that has most.
std::size_t most_area_bytes(const transport::World& world, const Tunables& tunables);

/// What rank 0 has decided, for all.
struct PlanChoice {
  std::optional<topology::Plan> plan;  ///< none: stars
  std::string why;                     ///< for people
  std::vector<std::string> warnings;   ///< one line each
  Status problem;                      ///< not ok: nobody may start
};

/// The plan for a job of this shape that sees this, and the configuration of rank 0. Pure; never throws.
PlanChoice choose_plan(const Config& config, const Tunables& tunables, const topology::JobShape& job,
                       const JobView& view);

}  // namespace treering
