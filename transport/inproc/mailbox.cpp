#include "transport/inproc/mailbox.h"

#include <cstring>

namespace treering::transport::inproc {

namespace {

std::uint64_t key_of(int source, int tag) {
  return static_cast<std::uint64_t>(source) << 32 | static_cast<std::uint32_t>(tag);
}

}  // namespace

void Mailbox::put(int source, int tag, std::shared_ptr<Offer> offer) {
  const std::lock_guard lock(mutex_);
  offers_[key_of(source, tag)].push_back(std::move(offer));
  arrivals_.fetch_add(1, std::memory_order_release);
}

std::shared_ptr<Offer> Mailbox::take(int source, int tag, std::byte* data, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = offers_.find(key_of(source, tag));
  if (found == offers_.end()) return nullptr;
  std::shared_ptr<Offer> offer = std::move(found->second.front());
  found->second.pop_front();
  if (found->second.empty()) offers_.erase(found);
  if (offer->state.load(std::memory_order_relaxed) == Offer::withdrawn) return nullptr;
  if (offer->bytes == bytes && bytes > 0) std::memcpy(data, offer->data, bytes);
  offer->state.store(Offer::taken, std::memory_order_release);
  return offer;
}

void Mailbox::withdraw(Offer& offer) {
  const std::lock_guard lock(mutex_);
  int waiting = Offer::waiting;
  offer.state.compare_exchange_strong(waiting, Offer::withdrawn);
}

}  // namespace treering::transport::inproc
