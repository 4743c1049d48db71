#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "transport/bell.h"
#include "transport/failure_box.h"

namespace treering::transport {

/// What a node's segment holds for one member, besides its area.
struct MemberBlock {
  BellWord bell;
  FailureBox failure;
  alignas(64) std::atomic<std::uint32_t> stopped{0};  ///< touches no memory but its own any more
  std::atomic<std::uint32_t> goodbye{0};              ///< its end is no death
  std::atomic<std::uint32_t> dead{0};                 ///< inproc only: killed by a test
};

/// Where everything lies in a node's segment: blocks, then a ring for each (from, to) edge inside the node, then the
/// members' areas. The same numbers give the same layout on every rank; zeroed memory is the valid first state.
class SegmentLayout {
 public:
  SegmentLayout() = default;
  /// `edges` in local ranks, ascending.
  SegmentLayout(int members, std::size_t area_bytes, std::vector<std::pair<int, int>> edges);

  int members() const { return members_; }
  std::size_t bytes() const { return bytes_; }
  std::size_t block(int member) const;
  std::size_t ring(int from, int to) const;
  std::size_t area(int member) const;

 private:
  int members_ = 0;
  std::size_t area_stride_ = 0;
  std::size_t areas_ = 0;
  std::size_t bytes_ = 0;
  std::vector<std::pair<int, int>> edges_;
};

}  // namespace treering::transport
