#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

namespace treering {

/// Hands out pieces of one rank's mappable memory: first fit, 64-byte aligned (whole pages from one page up), zeroed.
/// Thread-safe. Freed pages go back to the system.
class Heap {
 public:
  /// `owner` keeps the mapping alive as long as the heap or any piece of it lives.
  Heap(std::byte* base, std::size_t bytes, std::shared_ptr<void> owner);

  /// Null if no piece is large enough.
  static std::shared_ptr<void> allocate(const std::shared_ptr<Heap>& heap, std::size_t bytes);
  std::size_t used() const;

 private:
  void release(std::size_t offset, std::size_t bytes);

  std::byte* const base_;
  const std::shared_ptr<void> owner_;
  mutable std::mutex mutex_;
  std::map<std::size_t, std::size_t> free_;  // offset -> bytes, never adjacent; guarded by mutex_
  std::size_t touched_ = 0;                  // memory from here on has never been handed out; guarded by mutex_
  std::size_t used_ = 0;                     // guarded by mutex_
};

}  // namespace treering
