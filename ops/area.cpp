#include "ops/area.h"

#include "ops/board.h"

namespace treering::ops {

namespace {

constexpr std::size_t page = 4096;
std::size_t round_to_page(std::size_t bytes) { return (bytes + page - 1) / page * page; }

}  // namespace

AreaLayout::AreaLayout(const Geometry& geometry, const Tunables& tunables)
    : counter_bytes_(geometry.counters().count() * line),
      board_bytes_(Board::bytes),
      slot_bytes_(round_to_page(geometry.slot_bytes)) {
  const std::size_t lanes = tunables.lanes;
  boards_ = line + lanes * counter_bytes_;
  slots_ = round_to_page(boards_ + lanes * board_bytes_);
  bytes_ = slots_ + lanes * slot_bytes_;  // whole pages, so that the next member of a rank can follow
}

}  // namespace treering::ops
