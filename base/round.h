#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/request.h"

namespace treering {

/// Part of one agreed operation: bytes [begin, end) of its tensor. Only allreduces of a single tensor come in pieces;
/// for everything else the piece is the whole operation ([0, bytes_of(request)), which is empty for barriers and
/// allgathers).
struct RoundItem {
  std::shared_ptr<const Definition> definition;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// Why the root cut a round where it did; for the timeline.
enum class CutReason : std::uint8_t { idle, window, drained };

constexpr const char* name_of(CutReason reason) {
  constexpr const char* names[] = {"network idle", "window open", "window full"};
  return names[static_cast<std::size_t>(reason) % 3];
}

/// What all ranks execute next. The stream of rounds is the same on every rank.
struct Round {
  std::uint64_t sequence = 0;
  CutReason reason = CutReason::idle;
  std::vector<RoundItem> items;
};

}  // namespace treering
