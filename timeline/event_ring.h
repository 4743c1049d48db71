#pragma once

#include <atomic>
#include <cstdint>

#include "timeline/spool_format.h"
#include "timeline/spsc_ring.h"

namespace treering::timeline {

/// Records on their way from one thread to the writer. What does not fit is counted, never waited for.
class EventRing {
 public:
  explicit EventRing(std::size_t capacity) : ring_(capacity) {}

  void put(const Record& record) {
    Record* const slot = ring_.claim();
    if (slot == nullptr) {
      dropped_.store(dropped_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);  // one thread writes
      return;
    }
    *slot = record;
    ring_.publish();
  }

  /// Writer only. Returns how many there were. `say_dropped` gets the count of dropped ones, all that lie before or
  /// between those visited included, before any is visited.
  template <class Visit, class SayDropped>
  std::size_t drain(const Visit& visit, const SayDropped& say_dropped) {
    return ring_.drain(visit, [&] { say_dropped(dropped()); });
  }
  template <class Visit>
  std::size_t drain(const Visit& visit) {
    return ring_.drain(visit);
  }
  /// Since the ring exists.
  std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
  std::size_t capacity() const { return ring_.capacity(); }

 private:
  SpscRing<Record> ring_;
  std::atomic<std::uint64_t> dropped_{0};
};

}  // namespace treering::timeline
