#pragma once

#include <atomic>
#include <cstdint>

#include "treering/engine.h"

namespace treering {

/// Counters written by the engine thread and read by anybody.
struct Tally {
  std::atomic<std::uint64_t> operations{0};
  std::atomic<std::uint64_t> failures{0};
  std::atomic<std::uint64_t> rounds{0};
  std::atomic<std::uint64_t> batches{0};
  std::atomic<std::uint64_t> bytes{0};
  std::atomic<std::uint64_t> mapped_batches{0};
  std::atomic<std::uint64_t> sleeps{0};

  static void add(std::atomic<std::uint64_t>& counter, std::uint64_t count = 1) {
    counter.fetch_add(count, std::memory_order_relaxed);
  }
  Counters read(std::uint64_t memory, std::uint64_t plan) const {
    const auto get = [](const std::atomic<std::uint64_t>& counter) { return counter.load(std::memory_order_relaxed); };
    return {get(operations),     get(failures), get(rounds), get(batches), get(bytes),
            get(mapped_batches), get(sleeps),   memory,      plan};
  }
};

}  // namespace treering
