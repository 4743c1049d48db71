#include "ops/bindings.h"

#include <algorithm>

namespace treering::ops {

std::size_t Bindings::find(std::uint64_t offset, std::size_t hint) const {
  const auto fits = [&](std::size_t index) {
    return index < segments.size() && segments[index].end > offset && (index == 0 || segments[index - 1].end <= offset);
  };
  if (fits(hint)) return hint;
  if (fits(hint + 1)) return hint + 1;
  const auto found = std::ranges::upper_bound(segments, offset, {}, &BoundSegment::end);
  return static_cast<std::size_t>(found - segments.begin());
}

}  // namespace treering::ops
