#include "controller/round_cutter.h"

#include <algorithm>

namespace treering::controller {
namespace {

constexpr std::uint64_t piece_alignment = 64;  // a multiple of every element size

}  // namespace

RoundCutter::RoundCutter(const Tunables& tunables)
    : piece_limit_(std::max(tunables.piece_limit / piece_alignment * piece_alignment, piece_alignment)),
      window_(std::max<std::uint64_t>(tunables.window, 1)),
      small_limit_(tunables.batch_limit) {}

bool RoundCutter::after(const Ready& left, const Ready& right) {
  if (left.priority != right.priority) return left.priority < right.priority;
  return left.order > right.order;
}

void RoundCutter::add(DefinitionId id, std::uint64_t bytes, std::int32_t priority, bool divisible) {
  std::vector<Ready>& heap = bytes <= small_limit_ ? small_ : bulk_;
  heap.push_back({id, priority, orders_++, 0, bytes, divisible && bytes > piece_limit_});
  std::push_heap(heap.begin(), heap.end(), after);
}

void RoundCutter::executed(std::uint64_t bytes) {
  under_way_ -= std::min(under_way_, bytes);
  beside_ -= std::min(beside_, bytes);
}

std::uint64_t RoundCutter::piece_of(const Ready& ready, std::uint64_t piece_limit) {
  return ready.divisible ? std::min(piece_limit, ready.bytes - ready.begin) : ready.bytes - ready.begin;
}

void RoundCutter::take_top(std::vector<Ready>& heap, RoundEntry& round) {
  Ready& top = heap.front();
  const std::uint64_t bytes = piece_of(top, piece_limit_);
  under_way_ += bytes;
  if (top.divisible) {
    round.pieces.push_back({top.id, top.begin, top.begin + bytes});
    top.begin += bytes;  // its place in the order stays
    if (top.begin < top.bytes) return;
  } else {
    round.pieces.push_back({top.id, 0, to_the_end});
  }
  std::pop_heap(heap.begin(), heap.end(), after);
  heap.pop_back();
}

std::optional<RoundEntry> RoundCutter::next() {
  if (empty()) return std::nullopt;
  if (under_way_ < window_) return cut_into_window();
  return cut_beside();
}

RoundEntry RoundCutter::cut_into_window() {
  RoundEntry round;
  const bool was_idle = under_way_ == 0;
  while (!empty() && under_way_ < window_) {
    const bool small_first = bulk_.empty() || (!small_.empty() && after(bulk_.front(), small_.front()));
    take_top(small_first ? small_ : bulk_, round);
  }
  round.reason = !empty() ? CutReason::drained : was_idle ? CutReason::idle : CutReason::window;
  return round;
}

std::optional<RoundEntry> RoundCutter::cut_beside() {
  RoundEntry round;
  while (!small_.empty()) {
    const std::uint64_t bytes = piece_of(small_.front(), piece_limit_);
    if (bytes > 0 && (beside_ >= small_limit_ || bytes > small_limit_ - beside_)) break;
    beside_ += bytes;
    take_top(small_, round);
  }
  if (round.pieces.empty()) return std::nullopt;
  round.reason = CutReason::drained;
  return round;
}

}  // namespace treering::controller
