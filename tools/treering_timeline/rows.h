#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "base/clock.h"

namespace treering::tools {

/// Deals spans that overlap out to rows on which they do not: each goes to the lowest row that is free. Spans come in
/// the order of their begins.
class Rows {
 public:
  std::uint32_t place(Nanoseconds begin, Nanoseconds end) {
    while (!busy_.empty() && busy_.top().end <= begin) {
      free_.push(busy_.top().row);
      busy_.pop();
    }
    if (free_.empty()) free_.push(count_++);
    const std::uint32_t row = free_.top();
    free_.pop();
    busy_.push({end > begin ? end : begin + 1, row});  // even an empty one keeps the next of its moment off its row
    return row;
  }
  std::uint32_t count() const { return count_; }

 private:
  struct Span {
    Nanoseconds end;
    std::uint32_t row;
    bool operator>(const Span& other) const { return end > other.end; }
  };

  std::priority_queue<Span, std::vector<Span>, std::greater<>> busy_;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> free_;
  std::uint32_t count_ = 0;
};

}  // namespace treering::tools
