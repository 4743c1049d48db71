#pragma once

#include <chrono>
#include <string>

#include "base/tunables.h"
#include "treering/config.h"

namespace treering {

/// No duration may be longer: about a year.
inline constexpr std::chrono::seconds longest_duration{366 * 24 * 3600};

/// What is wrong with these values, naming the field and its variable; empty if nothing is. Whoever received them from
/// another process asks too.
std::string problem_of(const Tunables& tunables);

/// Throws Error (invalid_argument) naming the first field whose value makes no sense, alone or beside the others.
void check_config(const Config& config);

/// The part of the configuration that rank 0 sends to the others. Throws as `check_config`.
Tunables tunables_of(const Config& config);

/// Overwrites what rank 0 decides; the inverse of `tunables_of`.
void adopt(const Tunables& tunables, Config& config);

}  // namespace treering
