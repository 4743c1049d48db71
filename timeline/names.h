#pragma once

#include <cstddef>
#include <iterator>

#include "timeline/recorder.h"

namespace treering::timeline {

inline constexpr std::size_t track_count = 4;

constexpr const char* name_of(Track track) {
  constexpr const char* names[] = {"tensors", "rounds", "batches", "engine"};
  static_assert(std::size(names) == track_count);
  const auto index = static_cast<std::size_t>(track);
  return index < std::size(names) ? names[index] : "unknown track";
}

constexpr const char* name_of(Phase phase) {
  constexpr const char* names[] = {"enqueued", "posted", "agreed", "queued",    "running",  "tensor", "round",
                                   "packed",   "tree",   "ring",   "broadcast", "unpacked", "asleep"};
  static_assert(std::size(names) == static_cast<std::size_t>(Phase::asleep) + 1);
  const auto index = static_cast<std::size_t>(phase);
  return index < std::size(names) ? names[index] : "unknown phase";
}

}  // namespace treering::timeline
