#include "controller/look_alike.h"

#include <algorithm>
#include <vector>

namespace treering::controller {
namespace {

constexpr std::size_t longest_compared = 256;

std::size_t edits(std::string_view left, std::string_view right) {
  const std::size_t width = right.size() + 1;
  std::vector<std::size_t> before(width), last(width), row(width);
  for (std::size_t j = 0; j < width; ++j) last[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j < width; ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (left[i - 1] == right[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last.back();
}

}  // namespace

bool look_alike(std::string_view left, std::string_view right) {
  const std::size_t longer = std::max(left.size(), right.size());
  const std::size_t shorter = std::min(left.size(), right.size());
  const std::size_t allowed = std::clamp<std::size_t>(longer / 4, 1, 3);
  if (left == right || longer > longest_compared || longer - shorter > allowed) return false;
  return edits(left, right) <= allowed;
}

}  // namespace treering::controller
