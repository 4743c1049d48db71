#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace treering::transport::inproc {

/// A message offered by a sender; its bytes stay in the sender's memory until the receiver takes them, as a real
/// network may leave them.
struct Offer {
  enum State : int { waiting, taken, withdrawn };

  const std::byte* data = nullptr;
  std::size_t bytes = 0;
  int sender = 0;
  std::atomic<int> state{waiting};
};

/// Offers to one rank, first in, first out for each (source, tag). Thread-safe.
class Mailbox {
 public:
  void put(int source, int tag, std::shared_ptr<Offer> offer);

  /// Copies the oldest offer of (source, tag) out and marks it taken; nothing if there is none. If the lengths differ
  /// nothing is copied; compare `bytes`.
  std::shared_ptr<Offer> take(int source, int tag, std::byte* data, std::size_t bytes);

  /// After this the sender's memory is not read any more.
  void withdraw(Offer& offer);

  /// Grows with every `put`.
  std::uint64_t arrivals() const { return arrivals_.load(std::memory_order_acquire); }

 private:
  std::atomic<std::uint64_t> arrivals_{0};
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::deque<std::shared_ptr<Offer>>> offers_;  // guarded by mutex_
};

}  // namespace treering::transport::inproc
