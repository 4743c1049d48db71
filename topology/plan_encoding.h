#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "topology/plan.h"

namespace treering::topology {

void encode(const Plan& plan, ByteWriter& writer);

struct DecodedPlan {
  std::optional<Plan> plan;
  std::string problem;  ///< why there is no plan, for people
};

/// Reads what `encode` wrote, for this job. Nothing is trusted: without a plan the message was cut, of another version,
/// or holds something that `problem_of` objects to.
DecodedPlan decode_plan(ByteReader& reader, const JobShape& job, int most_shares);

/// The first fault of a plan for this job, or "": its nodes hold exactly the job's members, ascending; all nodes have
/// one tree for each of at most `most_shares` shares; weights are none or one per share, none of them 0; every tree
/// spans its members from its root, without cycles; trees to reduce along are none or one per share, of the same root;
/// sizes are multiples of 64.
std::string problem_of(const Plan& plan, const JobShape& job, int most_shares);

/// Equal for equal plans, on every machine and in every build. Different plans may collide, by bad luck only.
std::uint64_t stable_hash(const Plan& plan);

}  // namespace treering::topology
