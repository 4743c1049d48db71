#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>

namespace treering::device {

/// What the CUDA devices of this process have allocated: only whole allocations of our own are freed and exported, and
/// none of our own is imported. Any thread.
class CudaAllocations {
 public:
  using Handle = std::array<std::byte, 64>;
  struct Allocation {
    std::uint64_t bytes = 0;
    std::uint64_t generation = 0;  ///< no other has it, earlier or later
  };

  CudaAllocations();

  void add(const std::byte* memory, std::uint64_t bytes);
  /// False: `memory` is not the beginning of an allocation.
  bool remove(const std::byte* memory);
  std::optional<Allocation> find(const std::byte* memory) const;

  void note_export(const std::byte* memory, const Handle& handle);
  bool is_own(const Handle& handle) const;

 private:
  struct Entry {
    Allocation allocation;
    std::set<Handle> handles;
  };

  mutable std::mutex mutex_;
  std::map<const std::byte*, Entry> entries_;  // guarded by mutex_
  std::uint64_t next_generation_;              // guarded by mutex_
};

/// What one device has mapped of other processes, each allocation once. One thread at a time.
class CudaImports {
 public:
  using Key = std::pair<CudaAllocations::Handle, std::uint64_t>;

  /// The address under which it is mapped, counted once more; null if it is not.
  std::byte* reuse(const Key& key);
  /// A mapping just made, counted once.
  void add(const Key& key, std::byte* memory);
  enum class Release { unknown, still_used, last };
  /// One use less. `last`: the mapping is forgotten, the caller unmaps it.
  Release release(const std::byte* memory);

 private:
  struct Mapped {
    std::byte* memory = nullptr;
    std::uint64_t uses = 0;
  };

  std::map<Key, Mapped> mapped_;
};

}  // namespace treering::device
