#include "base/ranges_text.h"

#include "base/check.h"

namespace treering {

namespace {

struct Range {
  int first;
  int last;
};

/// Takes the first run of neighbouring numbers off the front.
Range take_range(std::span<const int>& rest) {
  Range range{rest[0], rest[0]};
  std::size_t taken = 1;
  while (taken < rest.size() && rest[taken] - range.last <= 1) {
    TREERING_CHECK(rest[taken] >= range.last, "ranges_text needs ascending numbers");
    range.last = rest[taken++];
  }
  rest = rest.subspan(taken);
  return range;
}

}  // namespace

std::string ranges_text(std::span<const int> ascending, std::size_t most_ranges) {
  if (ascending.empty()) return "none";
  std::string text;
  for (std::size_t ranges = 0; !ascending.empty() && ranges < most_ranges; ++ranges) {
    const Range range = take_range(ascending);
    if (!text.empty()) text += ", ";
    text += std::to_string(range.first);
    if (range.last != range.first) text += "-" + std::to_string(range.last);
  }
  std::size_t more = 0;
  while (!ascending.empty()) {
    const Range range = take_range(ascending);
    more += static_cast<std::size_t>(range.last - range.first) + 1;
  }
  if (more > 0) text += (text.empty() ? "" : " and ") + std::to_string(more) + (text.empty() ? " in all" : " more");
  return text;
}

}  // namespace treering
