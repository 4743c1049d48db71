#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/tunables.h"
#include "ops/geometry.h"

namespace treering::ops {

/// Most segments of a batch whose addresses are posted; batches with more go through slots.
inline constexpr std::size_t most_posted_segments = 1024;

/// A counter in shared memory. All access to it goes through this.
using SharedCounter = std::atomic_ref<std::uint64_t>;

/// What lies where in each member's part of the node's segment; the members of one rank follow one another: a word that
/// says that the member waits for a lane, then for each lane its counters (a cache line each), its board and its slots.
/// Zeroed at start.
class AreaLayout {
 public:
  AreaLayout(const Geometry& geometry, const Tunables& tunables);

  std::size_t bytes() const { return bytes_; }
  SharedCounter waits_for_lane(std::byte* area) const { return word(area); }
  SharedCounter counter(std::byte* area, std::uint32_t lane, std::uint16_t index) const {
    return word(counters(area, lane) + std::size_t{index} * line);
  }
  std::byte* board(std::byte* area, std::uint32_t lane) const { return area + boards_ + lane * board_bytes_; }
  std::byte* slots(std::byte* area, std::uint32_t lane) const { return area + slots_ + lane * slot_bytes_; }

  static constexpr std::size_t line = 64;
  /// First counter of a lane; counter i lies i lines further on.
  std::byte* counters(std::byte* area, std::uint32_t lane) const { return area + line + lane * counter_bytes_; }

 private:
  static SharedCounter word(std::byte* where) { return SharedCounter(*reinterpret_cast<std::uint64_t*>(where)); }

  std::size_t counter_bytes_ = 0;
  std::size_t board_bytes_ = 0;
  std::size_t slot_bytes_ = 0;
  std::size_t boards_ = 0;
  std::size_t slots_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace treering::ops
