#include "transport/inproc/wire.h"

#include <string>

#include "base/check.h"

namespace treering::transport::inproc {

MailboxWire::~MailboxWire() {
  for (Sent& sent : sent_) state_.mailbox(sent.rank).withdraw(*sent.offer);
}

Wire::Ticket MailboxWire::send(int rank, int tag, const std::byte* data, std::size_t bytes) {
  TREERING_CHECK(tag >= 0, "tags count from zero");
  auto offer = std::make_shared<Offer>();
  offer->data = data;
  offer->bytes = bytes;
  offer->sender = rank_;
  sent_.push_back({next_ticket_, rank, offer});
  state_.mailbox(rank).put(rank_, tag, std::move(offer));
  state_.bell(rank).ring();
  return next_ticket_++;
}

Wire::Ticket MailboxWire::receive(int rank, int tag, std::byte* data, std::size_t bytes) {
  TREERING_CHECK(tag >= 0, "tags count from zero");
  posted_[{rank, tag}].push_back({next_ticket_, data, bytes});
  posted_new_ = true;
  return next_ticket_++;
}

bool MailboxWire::poll() {
  bool moved = take_arrivals();
  std::erase_if(sent_, [&](const Sent& sent) {
    if (sent.offer->state.load(std::memory_order_acquire) != Offer::taken) return false;
    finished_.insert(sent.ticket);
    return moved = true;
  });
  return moved;
}

bool MailboxWire::take_arrivals() {
  const std::uint64_t arrivals = state_.mailbox(rank_).arrivals();
  if (arrivals == arrivals_seen_ && !posted_new_) return false;
  arrivals_seen_ = arrivals;
  posted_new_ = false;
  bool moved = false;
  for (auto entry = posted_.begin(); entry != posted_.end();) {
    auto& [key, queue] = *entry;
    while (!queue.empty() && take_one(key.first, key.second, queue.front())) {
      queue.pop_front();
      moved = true;
    }
    entry = queue.empty() ? posted_.erase(entry) : std::next(entry);
  }
  return moved;
}

bool MailboxWire::take_one(int source, int tag, const Posted& posted) {
  const std::shared_ptr<Offer> offer = state_.mailbox(rank_).take(source, tag, posted.data, posted.bytes);
  if (offer == nullptr) return false;
  if (offer->bytes != posted.bytes)
    status_ = Status(StatusCode::internal, "rank " + std::to_string(source) + " sent " + std::to_string(offer->bytes) +
                                               " bytes with tag " + std::to_string(tag) + ", rank " +
                                               std::to_string(rank_) + " expected " + std::to_string(posted.bytes));
  finished_.insert(posted.ticket);
  state_.bell(source).ring();
  return true;
}

}  // namespace treering::transport::inproc
