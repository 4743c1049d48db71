#pragma once

#include <string_view>

namespace treering::controller {

/// True for different names that a slip of the keyboard may have made out of one: at most one edit in short names, at
/// most three in long ones. Edits are insertions, deletions and replacements of one byte, and swaps of neighbours
/// (optimal string alignment; Levenshtein 1966, Damerau 1964).
bool look_alike(std::string_view left, std::string_view right);

}  // namespace treering::controller
