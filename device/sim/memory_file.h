#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/unique_fd.h"
#include "device/device.h"

namespace treering::device::sim {

/// The last page of a memory file: what its owner and those who map it tell each other.
struct FileHeader {
  std::uint64_t magic = 0;
  std::uint64_t owner = 0;  ///< number of the machine that owns it
  std::uint64_t generation = 0;
  std::atomic<std::uint32_t> freed{0};
  std::array<std::atomic<pid_t>, 256> importers{};
};

/// Memory in a memfd, so that other processes can map it. It is mapped twice: at its address nobody can touch it, so
/// that a host that follows a device's pointer faults, as with hardware; the bytes are at `bytes()`.
class MemoryFile {
 public:
  MemoryFile() = default;
  MemoryFile(MemoryFile&& other) noexcept { swap(other); }
  MemoryFile& operator=(MemoryFile&& other) noexcept {
    swap(other);
    return *this;
  }
  ~MemoryFile();

  /// Fresh memory, filled with garbage. `host_reaches`: address and bytes are the same.
  static Status create(std::size_t size, bool host_reaches, std::uint64_t owner, std::uint64_t generation,
                       MemoryFile& file);
  /// Memory of another owner, of this process or another. `unavailable` if the system refuses, `invalid_argument` if
  /// the memory is not there any more or belongs to `importer`.
  static Status open(const ExportedMemory& exported, std::uint64_t importer, MemoryFile& file);
  ExportedMemory exported() const;
  /// Lets the host follow addresses, or not.
  void expose(bool exposed);
  /// Gives the memory back but keeps the addresses, so that they never mean anything else.
  void release();

  std::byte* address() const { return address_; }
  std::byte* bytes() const { return bytes_; }
  std::size_t size() const { return size_; }
  FileHeader& header() const;
  /// Living processes that have it mapped, besides the owner.
  int importers() const;

 private:
  void swap(MemoryFile& other) noexcept;
  Status map(bool host_reaches);
  Status join();
  std::size_t header_offset() const;

  UniqueFd fd_;
  std::size_t size_ = 0;
  std::byte* bytes_ = nullptr;
  std::byte* address_ = nullptr;
  std::atomic<pid_t>* place_ = nullptr;  // of this importer
};

}  // namespace treering::device::sim
