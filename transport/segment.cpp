#include "transport/segment.h"

#include <algorithm>

#include "base/check.h"
#include "transport/frame_ring.h"

namespace treering::transport {

namespace {

constexpr std::size_t page = 4096;

constexpr std::size_t rounded_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

constexpr std::size_t ring_stride = rounded_up(frame_ring_bytes, 64);

}  // namespace

SegmentLayout::SegmentLayout(int members, std::size_t area_bytes, std::vector<std::pair<int, int>> edges)
    : members_(members), area_stride_(rounded_up(area_bytes, page)), edges_(std::move(edges)) {
  areas_ = rounded_up(ring_stride * edges_.size() + sizeof(MemberBlock) * static_cast<std::size_t>(members), page);
  bytes_ = areas_ + area_stride_ * static_cast<std::size_t>(members);
}

std::size_t SegmentLayout::block(int member) const { return sizeof(MemberBlock) * static_cast<std::size_t>(member); }

std::size_t SegmentLayout::ring(int from, int to) const {
  const auto found = std::lower_bound(edges_.begin(), edges_.end(), std::pair(from, to));
  TREERING_CHECK(found != edges_.end() && *found == std::pair(from, to), "no such edge in this node");
  return block(members_) + ring_stride * static_cast<std::size_t>(found - edges_.begin());
}

std::size_t SegmentLayout::area(int member) const { return areas_ + area_stride_ * static_cast<std::size_t>(member); }

}  // namespace treering::transport
