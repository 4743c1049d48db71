#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tools/treering_timeline/join.h"
#include "tools/treering_timeline/tracks.h"
#include "tools/treering_timeline/traffic.h"

namespace treering::tools {

/// The spans of a run for the page's program, as varints in base64; page/data.js reads the same. Times are ticks.
///
/// For each rank, lists that each begin with their length; begins are differences from the one before:
///   four strips (others wait for this rank, waits for others, moves, asleep): begin, length
///   tensors: begin, four lengths (handed over, waits for others, waits for its batch, moves), name, row, last rank +
///   1,
///            bytes
///   batches: begin, length, name, row, bytes, tensors
///   stages: begin, length, stage, row
///   marks: begin, length, name, row
class PackedSpans {
 public:
  PackedSpans(const Joined& joined, Interval window);

  /// Nanoseconds per tick: 32 bits of them reach over the window.
  Nanoseconds tick() const { return tick_; }
  std::uint64_t count() const { return count_; }
  std::string base64() const;

 private:
  void put(std::uint64_t value);
  void put_begin(Nanoseconds begin);
  void put_length(Nanoseconds length) { put(static_cast<std::uint64_t>(ticks(length))); }
  void begin_list(std::size_t size);
  Nanoseconds ticks(Nanoseconds time) const { return time > 0 ? (time + tick_ / 2) / tick_ : 0; }

  void put_strip(const std::vector<Interval>& intervals);
  void put_rank(const RankTrace& rank, std::size_t place);
  void put_stages(const std::array<Track, track_kinds>& tracks);

  const Joined& joined_;
  Interval window_;
  Nanoseconds tick_ = 1;
  Nanoseconds previous_ = 0;  ///< begin, in ticks
  std::uint64_t count_ = 0;
  std::string bytes_;
  std::vector<std::vector<Interval>> late_;            ///< by place: the median of the others waited for this rank
  std::vector<std::vector<Interval>> waiting_;         ///< by place
  std::vector<std::vector<std::uint32_t>> last_rank_;  ///< by place and tensor: who was last + 1; 0: not known
};

}  // namespace treering::tools
