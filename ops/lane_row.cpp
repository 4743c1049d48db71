#include "ops/lane_row.h"

#include <algorithm>

#include "base/check.h"

namespace treering::ops {

LaneRow::LaneRow(const std::vector<std::unique_ptr<Site>>& sites, std::uint32_t index, transport::Wire& wire,
                 const device::HostKernels& kernels, const Clock& stopwatch)
    : complete_(sites.size(), 0) {
  for (const std::unique_ptr<Site>& site : sites)
    lanes_.push_back(std::make_unique<Lane>(*site, index, wire, kernels, stopwatch));
}

bool LaneRow::held() const {
  return std::ranges::any_of(lanes_, [](const auto& lane) { return lane->held(); });
}

// What is not per member (an allgather's memory) is the first member's; the others have nothing to do there.
void LaneRow::start(Submission submission, std::uint64_t sequence, Nanoseconds since) {
  taken_ = false;
  std::ranges::fill(complete_, 0);
  if (lanes_.size() == 1) return lanes_.front()->start(std::move(submission), sequence, since);
  const std::size_t row = submission.memory.size() / lanes_.size();
  TREERING_CHECK(row * lanes_.size() == submission.memory.size(), "every member needs the memory of every segment");
  const std::vector<SegmentMemory> memory = std::move(submission.memory);
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    submission.memory.assign(memory.begin() + static_cast<std::ptrdiff_t>(i * row),
                             memory.begin() + static_cast<std::ptrdiff_t>((i + 1) * row));
    lanes_[i]->start(submission, sequence, since);
  }
}

bool LaneRow::step(Budget& budget) {
  bool moved = false;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    if (!lanes_[i]->held()) continue;
    moved |= lanes_[i]->step(budget);
    if (lanes_[i]->take_completion()) complete_[i] = 1;
  }
  return moved;
}

bool LaneRow::take_completion() {
  if (taken_ || !std::ranges::all_of(complete_, [](char complete) { return complete != 0; })) return false;
  taken_ = true;
  return true;
}

// The first member's lane speaks for the row until then.
void LaneRow::give_back_ended() {
  for (std::size_t i = 0; i < lanes_.size(); ++i)
    if (lanes_[i]->ended() && (i > 0 || taken_)) lanes_[i]->give_back();
}

bool LaneRow::communicates() const {
  return std::ranges::any_of(lanes_, [](const auto& lane) { return lane->held() && lane->communicates(); });
}

std::optional<Runner::Span> LaneRow::span(timeline::Phase phase) const {
  std::optional<Runner::Span> all;
  for (const auto& lane : lanes_) {
    const std::optional<Runner::Span> own = lane->span(phase);
    if (!own) continue;
    all = all ? Runner::Span{std::min(all->begin, own->begin), std::max(all->end, own->end)} : *own;
  }
  return all;
}

std::string LaneRow::dump() const {
  std::string text;
  for (const auto& lane : lanes_)
    if (lane->held()) text += lane->dump();
  return text;
}

}  // namespace treering::ops
