#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/tunables.h"
#include "engine/rank_view.h"
#include "topology/plan.h"
#include "transport/fabric.h"
#include "treering/config.h"

namespace treering {

/// The plan that all ranks of a job have.
struct SharedPlan {
  topology::Plan plan;
  std::string why;
  std::uint64_t hash = 0;
};

/// All ranks say what they see (their Config::topology, else `host`), rank 0 chooses (saying on `log` what was wrong),
/// all receive the same and compare what they hold. `config` takes rank 0's topology and builder. Collective, at start;
/// throws Error on every rank if rank 0 cannot choose or any rank cannot read the choice.
SharedPlan share_plan(Config& config, const Tunables& tunables, const HostView& host, transport::Fabric& fabric,
                      const Log& log);

/// Throws Error (mismatch) that names ranks and hashes unless all are equal.
void compare_plans(std::span<const std::uint64_t> hash_by_rank);

}  // namespace treering
