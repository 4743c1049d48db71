#include "ops/board.h"

namespace treering::ops {

std::span<SegmentOffsets> Board::entries(std::size_t count) const {
  return {reinterpret_cast<SegmentOffsets*>(where_ + AreaLayout::line), count};
}

void Board::publish(std::uint64_t sequence, bool mapped) const {
  auto* words = reinterpret_cast<std::uint64_t*>(where_);
  words[1] = mapped ? 1 : 0;
  SharedCounter(words[0]).store(sequence, std::memory_order_release);
}

bool Board::published(std::uint64_t sequence) const {
  return SharedCounter(*reinterpret_cast<std::uint64_t*>(where_)).load(std::memory_order_acquire) >= sequence;
}

bool Board::mapped() const { return reinterpret_cast<const std::uint64_t*>(where_)[1] != 0; }

}  // namespace treering::ops
