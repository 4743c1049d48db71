#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <vector>

namespace treering {

/// Least number of letters to insert, delete or replace to turn one word into the other (Levenshtein; Wagner and
/// Fischer's table, kept to one row). For "did you mean" hints: time is the product of the lengths, so both words are
/// cut at 256 letters.
inline std::size_t edit_distance(std::string_view left, std::string_view right) {
  left = left.substr(0, 256);
  right = right.substr(0, 256);
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < right.size(); ++j) {
      const std::size_t replaced = diagonal + (left[i] == right[j] ? 0U : 1U);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace treering
