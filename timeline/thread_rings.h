#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "timeline/event_ring.h"

namespace treering::timeline {

/// A ring for each thread but the engine's, made when the thread first asks. A thread finds its own by a number that
/// the system gives it; the next thread with that number follows it in its ring. Bounded: further threads have none.
class ThreadRings {
 public:
  /// `capacity` of each ring.
  explicit ThreadRings(std::size_t capacity) : capacity_(capacity) {}
  ~ThreadRings();
  ThreadRings(const ThreadRings&) = delete;
  ThreadRings& operator=(const ThreadRings&) = delete;

  struct Own {
    EventRing* ring = nullptr;  ///< null if there are too many threads
    std::uint32_t number = 0;   ///< of the thread, from 1; 0 if it has no ring
  };
  /// The calling thread's. Without locks; allocates at the first call of a thread.
  Own own();

  /// Writer: calls `visit(EventRing&, number, name)` for each ring there is.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t i = 0; i < most_threads; ++i)
      if (EventRing* const ring = places_[i].ring.load(std::memory_order_acquire))
        visit(*ring, static_cast<std::uint32_t>(i + 1), static_cast<const char*>(places_[i].name));
  }
  /// Records of threads that have no ring.
  std::uint64_t homeless() const { return homeless_.load(std::memory_order_relaxed); }
  void count_homeless() { homeless_.fetch_add(1, std::memory_order_relaxed); }

  static constexpr std::size_t most_threads = 64;

 private:
  struct Place {
    std::atomic<std::uint64_t> owner{0};
    char name[16] = {};  ///< of its first thread; written before `ring`
    std::atomic<EventRing*> ring{nullptr};
  };

  const std::size_t capacity_;
  std::array<Place, most_threads> places_;
  std::atomic<std::uint64_t> homeless_{0};
};

}  // namespace treering::timeline
