#pragma once

#include <atomic>
#include <cstdint>

#include "base/unique_fd.h"

namespace treering::transport {

/// The shared half of a bell; lies in zeroed memory that ringers and sleeper both map.
struct alignas(64) BellWord {
  std::atomic<std::uint64_t> rings{0};
  std::atomic<std::uint32_t> asleep{0};
};

/// Wakes the one thread that sleeps on it. Ringing is: publish the data, then `ring()`, which costs a system call only
/// if the sleeper has declared that it sleeps. Sleeping is: read `rings()`, scan everything, `declare_asleep()`,
/// compare `rings()` and scan again, poll the eventfd, `declare_awake()`. In that order no ring is lost.
class Bell {
 public:
  Bell() = default;
  Bell(BellWord* word, int eventfd) : word_(word), eventfd_(eventfd) {}

  void ring() const;
  std::uint64_t rings() const { return word_->rings.load(std::memory_order_seq_cst); }
  void declare_asleep() const { word_->asleep.store(1, std::memory_order_seq_cst); }
  void declare_awake() const;  ///< also empties the eventfd
  int eventfd() const { return eventfd_; }

 private:
  BellWord* word_ = nullptr;
  int eventfd_ = -1;  // not owned
};

/// A non-blocking eventfd for a bell. Throws Error.
UniqueFd make_bell_descriptor();

}  // namespace treering::transport
