#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "device/device.h"
#include "device/sim/memory_file.h"

namespace treering::device::sim {

/// All memory that the devices of one process know, by address, and who may touch it.
class MemoryMap {
 public:
  enum class Kind : std::uint8_t { device, pinned, imported };
  struct Block {
    Kind kind = Kind::device;
    int device = 0;  ///< whose it is, or for whom it was imported
    std::size_t size = 0;
    MemoryFile file;  ///< once freed, only addresses: the block stays, to tell what they were
    int opened = 1;   ///< imports of the same memory
    ExportedMemory source;
    bool freed = false;
  };

  explicit MemoryMap(std::uint64_t owner) : owner_(owner) {}

  Status allocate(Kind kind, int device, std::size_t size, std::byte*& address);
  Status import(int device, const ExportedMemory& exported, std::byte*& address);
  /// The living block of this kind and device that begins at `address`, or null.
  Block* find(Kind kind, int device, const std::byte* address);
  /// Gives the memory back; the address is never used again.
  void remove(Block& block);

  /// The living memory of a device that holds the address, and how far into it; null if there is none.
  const Block* holder(const std::byte* address, std::uint64_t& offset) const;

  void allow(int device, int peer) { reach_.insert({device, peer}); }
  /// Where `device` finds `size` bytes at `address`; otherwise null and why not.
  std::byte* resolve(int device, const std::byte* address, std::size_t size, std::string& why) const;
  /// Lets the host follow the addresses that `device` may touch, or not.
  void expose(int device, bool exposed);
  /// Whether the word lies where `device` may wait for it.
  bool is_local(int device, const std::byte* address) const;
  std::size_t bytes_of(int device) const;

 private:
  const Block* at(const std::byte* address) const;

  std::uint64_t owner_;
  std::uint64_t generation_ = 0;
  std::map<const std::byte*, Block> blocks_;
  std::set<std::pair<int, int>> reach_;
};

}  // namespace treering::device::sim
