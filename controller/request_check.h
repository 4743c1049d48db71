#pragma once

#include <string>

#include "base/request.h"

namespace treering::controller {

inline constexpr std::size_t longest_name = 4096;
inline constexpr std::size_t most_extents = 255;

/// Why this cannot be a request of a job of `size` ranks, for people; empty if it can. After this check element and
/// byte counts of the request do not overflow.
std::string problem_with(const Request& request, int size);

}  // namespace treering::controller
