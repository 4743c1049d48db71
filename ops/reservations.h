#pragma once

#include <iterator>
#include <map>

#include "base/clock.h"

namespace treering::ops {

struct TimeSpan {
  Nanoseconds begin = 0;
  Nanoseconds end = 0;
};

/// When something that does one thing at a time is taken: a link in one direction, a port, a member's memory. Who comes
/// first is served first; who comes later fills the gaps that are left, in pieces if need be, as packets do.
class Reservations {
 public:
  /// Takes `amount` of time from `from` on, as early as possible.
  TimeSpan reserve(Nanoseconds from, Nanoseconds amount) {
    if (amount <= 0) return {from, from};
    Nanoseconds taken_from = from, at = from;
    auto next = busy_.upper_bound(from);
    if (next != busy_.begin() && std::prev(next)->second >= from) {
      --next;
      taken_from = next->first;
      at = next->second;
      next = busy_.erase(next);
    }
    const Nanoseconds begin = at;
    while (next != busy_.end() && next->first - at < amount) {
      amount -= next->first - at;
      at = next->second;
      next = busy_.erase(next);
    }
    const Nanoseconds end = at + amount;
    Nanoseconds taken_until = end;
    if (next != busy_.end() && next->first == end) {
      taken_until = next->second;
      busy_.erase(next);
    }
    busy_[taken_from] = taken_until;
    return {begin, end};
  }

 private:
  std::map<Nanoseconds, Nanoseconds> busy_;  // begin to end; they do not touch each other
};

}  // namespace treering::ops
