#include "transport/framed_edge.h"

#include <string>

namespace treering::transport {

namespace {

/// A reader that does not read makes its peer wait, instead of collecting without bound.
constexpr std::size_t max_inbox_messages = 64;

}  // namespace

void FramedEdge::send(Bytes message) {
  fragmenter_.start(std::move(message));
  if (push_frames()) channel_->notify(true, false);
}

std::optional<Bytes> FramedEdge::receive() {
  if (inbox_.empty()) return std::nullopt;
  Bytes message = std::move(inbox_.front());
  inbox_.pop_front();
  return message;
}

bool FramedEdge::progress() {
  if (!status_.ok()) return false;
  const bool pushed = push_frames();
  const bool popped = pop_frames();
  channel_->notify(pushed, popped);
  return pushed || popped;
}

bool FramedEdge::push_frames() {
  bool moved = false;
  while (status_.ok() && fragmenter_.busy()) {
    const RingResult result = channel_->push(fragmenter_.frame());
    if (result == RingResult::not_now) break;
    if (result == RingResult::broken) {
      refuse("its reading index is impossible");
      break;
    }
    fragmenter_.advance();
    moved = true;
  }
  return moved;
}

bool FramedEdge::pop_frames() {
  bool moved = false;
  while (status_.ok() && inbox_.size() < max_inbox_messages) {
    const RingResult result = channel_->pop(scratch_);
    if (result == RingResult::not_now) break;
    moved = true;
    if (result == RingResult::broken) {
      refuse("the channel holds an impossible frame");
      break;
    }
    Reassembler::Result fed = reassembler_.feed(scratch_);
    if (fed.problem != nullptr) refuse(fed.problem);
    if (fed.message) inbox_.push_back(std::move(*fed.message));
  }
  return moved;
}

void FramedEdge::refuse(const char* problem) {
  status_ = Status(StatusCode::internal, "rank " + std::to_string(peer_) +
                                             " sent a control frame that makes no sense: " + problem +
                                             " (different versions of Treering, or memory overwritten?)");
}

}  // namespace treering::transport
