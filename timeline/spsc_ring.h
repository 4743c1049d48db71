#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <memory>

#include "base/check.h"

namespace treering::timeline {

/// A bounded ring from one thread to one other, without locks. All memory is allocated and touched in the constructor.
/// A thread that has ended may be followed by another in its role.
template <class T>
class SpscRing {
 public:
  /// `capacity` is a power of two.
  explicit SpscRing(std::size_t capacity) : mask_(capacity - 1), slots_(std::make_unique<T[]>(capacity)) {
    TREERING_CHECK(std::has_single_bit(capacity), "a ring's capacity is a power of two");
  }

  /// Producer: the slot to fill, or nullptr if the ring is full. Nobody sees it before `publish`.
  T* claim() {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    if (head - known_tail_.load(std::memory_order_relaxed) > mask_) {
      const std::size_t tail = tail_.load(std::memory_order_acquire);
      known_tail_.store(tail, std::memory_order_relaxed);
      if (head - tail > mask_) return nullptr;
    }
    return &slots_[head & mask_];
  }
  void publish() { head_.store(head_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

  /// Consumer: visits everything that is there, oldest first, freeing each slot after its visit. Returns how many.
  /// `seen` is called before the visits: it sees what the producer did before it published any of these.
  template <class Visitor, class Seen>
  std::size_t drain(const Visitor& visit, const Seen& seen) {
    const std::size_t first = tail_.load(std::memory_order_relaxed);
    const std::size_t head = head_.load(std::memory_order_acquire);
    seen();
    for (std::size_t tail = first; tail != head; ++tail) {
      visit(static_cast<const T&>(slots_[tail & mask_]));
      tail_.store(tail + 1, std::memory_order_release);
    }
    return head - first;
  }

  template <class Visitor>
  std::size_t drain(const Visitor& visit) {
    return drain(visit, [] {});
  }

  std::size_t capacity() const { return mask_ + 1; }

 private:
  const std::size_t mask_;
  std::unique_ptr<T[]> slots_;
  // The two threads' own words on cache lines of their own.
  alignas(64) std::atomic<std::size_t> head_{0};
  std::atomic<std::size_t> known_tail_{0};
  alignas(64) std::atomic<std::size_t> tail_{0};
};

}  // namespace treering::timeline
