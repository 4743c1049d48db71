#include "timeline/thread_rings.h"

#include <pthread.h>

namespace treering::timeline {

ThreadRings::~ThreadRings() {
  for (Place& place : places_) delete place.ring.load(std::memory_order_acquire);
}

ThreadRings::Own ThreadRings::own() {
  const auto self = static_cast<std::uint64_t>(pthread_self());
  const std::size_t first = self * 0x9e3779b97f4a7c15 >> 58;
  static_assert(most_threads == 64);
  for (std::size_t step = 0; step < most_threads; ++step) {
    const std::size_t index = (first + step) % most_threads;
    Place& place = places_[index];
    std::uint64_t owner = place.owner.load(std::memory_order_relaxed);
    if (owner == 0 && place.owner.compare_exchange_strong(owner, self, std::memory_order_relaxed)) owner = self;
    if (owner != self) continue;
    EventRing* ring = place.ring.load(std::memory_order_acquire);
    if (ring == nullptr) {
      pthread_getname_np(pthread_self(), place.name, sizeof place.name);
      ring = new EventRing(capacity_);
      place.ring.store(ring, std::memory_order_release);
    }
    return {ring, static_cast<std::uint32_t>(index + 1)};
  }
  return {};
}

}  // namespace treering::timeline
