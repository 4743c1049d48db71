#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace treering {

/// "0-3, 7" for the ascending numbers 0 1 2 3 7; repeated numbers count once. After `most_ranges` ranges the rest is
/// counted: "0-3, 7 and 12 more". Nothing gives "none".
std::string ranges_text(std::span<const int> ascending, std::size_t most_ranges = 8);

}  // namespace treering
