#pragma once

#include <array>
#include <string>
#include <vector>

#include "tools/treering_timeline/model.h"

namespace treering::tools {

/// What is drawn of one rank, from top to bottom.
enum class TrackKind : std::uint8_t {
  program,
  callbacks,
  tensors,
  batches,
  pack,
  tree,
  ring,
  broadcast,
  unpack,
  engine
};
inline constexpr std::size_t track_kinds = 10;

constexpr const char* name_of(TrackKind kind) {
  constexpr const char* names[] = {"program", "callbacks", "tensors",   "batches", "pack",
                                   "tree up", "ring",      "tree down", "unpack",  "engine asleep"};
  return names[static_cast<std::size_t>(kind)];
}

/// A span on its row; `index` counts in the rank's list of that kind.
struct Slice {
  Nanoseconds begin = 0;
  Nanoseconds end = 0;
  std::uint32_t index = 0;
  std::uint32_t row = 0;
};

/// The slices of one kind, sorted by begin (longer ones first), on rows on which they lie beside or, for the program's
/// marks, inside one another.
struct Track {
  std::vector<Slice> slices;
  std::vector<std::string> rows;  ///< names
};

/// Everything of a rank that overlaps `window`. A span without an end lasts until `run_end`.
std::array<Track, track_kinds> tracks_of(const Run& run, const RankTrace& rank, Interval window);

}  // namespace treering::tools
