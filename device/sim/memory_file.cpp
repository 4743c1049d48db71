#include "device/sim/memory_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "base/check.h"

namespace treering::device::sim {

namespace {

constexpr std::uint64_t magic = 0x7472656572696e67;
constexpr std::size_t page = 4096;
constexpr std::size_t poisoned = std::size_t{256} << 20;  // what is longer keeps zeroes in its middle

/// Enough to find the memory of a living process, and to notice that it is another one by now.
struct Handle {
  std::uint64_t inode;
  std::uint64_t owner;
  std::int32_t pid;
  std::int32_t fd;
};

Status refused(const std::string& action) {
  return {StatusCode::unavailable, "a software device cannot " + action + ": " + std::strerror(errno)};
}

/// Replaces what is mapped there by nothing that can be touched.
void close_addresses(std::byte* address, std::size_t size) {
  const void* const closed =
      ::mmap(address, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  TREERING_CHECK(closed == address, "a mapping can be replaced by an empty one");
}

/// A byte pattern that is a NaN as a float of any width, and far from every small integer.
void poison(std::byte* bytes, std::size_t size) {
  const std::size_t head = std::min(size, poisoned);
  const std::size_t tail = std::min(size - head, page);
  std::memset(bytes, 0xff, head);
  std::memset(bytes + size - tail, 0xff, tail);
}

}  // namespace

MemoryFile::~MemoryFile() {
  release();
  if (address_ != nullptr) ::munmap(address_, size_);
}

void MemoryFile::release() {
  if (bytes_ == nullptr) return;
  if (place_ != nullptr) place_->store(0);
  place_ = nullptr;
  if (bytes_ == address_) {
    close_addresses(bytes_, header_offset());
    ::munmap(bytes_ + header_offset(), page);
  } else {
    close_addresses(address_, size_);
    ::munmap(bytes_, header_offset() + page);
  }
  bytes_ = nullptr;
  fd_.reset();
}

void MemoryFile::swap(MemoryFile& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(size_, other.size_);
  std::swap(bytes_, other.bytes_);
  std::swap(address_, other.address_);
  std::swap(place_, other.place_);
}

std::size_t MemoryFile::header_offset() const { return (size_ + page - 1) / page * page; }

FileHeader& MemoryFile::header() const { return *reinterpret_cast<FileHeader*>(bytes_ + header_offset()); }

Status MemoryFile::map(bool host_reaches) {
  void* const bytes =
      ::mmap(nullptr, header_offset() + page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd_.get(), 0);
  if (bytes == MAP_FAILED) return refused("map " + std::to_string(size_) + " bytes");
  bytes_ = static_cast<std::byte*>(bytes);
  address_ = bytes_;
  if (host_reaches) return {};
  void* const address = ::mmap(nullptr, size_, PROT_NONE, MAP_SHARED | MAP_NORESERVE, fd_.get(), 0);
  if (address == MAP_FAILED) return refused("reserve addresses");
  address_ = static_cast<std::byte*>(address);
  return {};
}

Status MemoryFile::create(std::size_t size, bool host_reaches, std::uint64_t owner, std::uint64_t generation,
                          MemoryFile& file) {
  MemoryFile fresh;
  fresh.size_ = size;
  fresh.fd_.reset(::memfd_create("treering-sim", MFD_CLOEXEC));
  if (!fresh.fd_.valid() || ::ftruncate(fresh.fd_.get(), static_cast<off_t>(fresh.header_offset() + page)) != 0)
    return refused("allocate " + std::to_string(size) + " bytes");
  Status status = fresh.map(host_reaches);
  if (!status.ok()) return status;
  poison(fresh.bytes_, size);
  FileHeader& header = fresh.header();
  header.magic = magic;
  header.owner = owner;
  header.generation = generation;
  file = std::move(fresh);
  return {};
}

void MemoryFile::expose(bool exposed) {
  if (address_ != bytes_) ::mprotect(address_, size_, exposed ? PROT_READ | PROT_WRITE : PROT_NONE);
}

ExportedMemory MemoryFile::exported() const {
  struct stat facts = {};
  ::fstat(fd_.get(), &facts);
  const Handle handle = {facts.st_ino, header().owner, ::getpid(), fd_.get()};
  ExportedMemory exported;
  std::memcpy(exported.handle.data(), &handle, sizeof handle);
  exported.bytes = size_;
  exported.generation = header().generation;
  return exported;
}

Status MemoryFile::open(const ExportedMemory& exported, std::uint64_t importer, MemoryFile& file) {
  Handle handle;
  std::memcpy(&handle, exported.handle.data(), sizeof handle);
  Status gone = {StatusCode::invalid_argument, "the exported memory is not there any more"};
  if (handle.owner == importer) return {StatusCode::invalid_argument, "a process cannot import its own memory"};
  const std::string path = "/proc/" + std::to_string(handle.pid) + "/fd/" + std::to_string(handle.fd);
  MemoryFile opened;
  opened.fd_.reset(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!opened.fd_.valid()) return errno == ENOENT ? gone : refused("open the memory of another process");
  struct stat facts = {};
  if (::fstat(opened.fd_.get(), &facts) != 0 || facts.st_ino != handle.inode) return gone;
  opened.size_ = exported.bytes;
  if (exported.bytes == 0 || static_cast<std::size_t>(facts.st_size) != opened.header_offset() + page) return gone;
  Status status = opened.map(false);
  if (status.ok()) status = opened.join();
  if (!status.ok()) return status;
  const FileHeader& header = opened.header();
  if (header.magic != magic || header.generation != exported.generation || header.freed != 0) return gone;
  file = std::move(opened);
  return {};
}

Status MemoryFile::join() {
  for (std::atomic<pid_t>& place : header().importers) {
    pid_t nobody = 0;
    if (!place.compare_exchange_strong(nobody, ::getpid())) continue;
    place_ = &place;
    return {};
  }
  return {StatusCode::unavailable, "too many processes map one allocation of a software device"};
}

int MemoryFile::importers() const {
  int living = 0;
  for (const std::atomic<pid_t>& place : header().importers) {
    const pid_t pid = place.load();
    if (pid != 0 && (::kill(pid, 0) == 0 || errno != ESRCH)) ++living;
  }
  return living;
}

}  // namespace treering::device::sim
