#include "timeline/page_step.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace treering::timeline {

namespace {

/// Two bytes at any address, written by one instruction.
struct [[gnu::packed]] TwoBytes {
  std::uint16_t value;
};

}  // namespace

bool move_bracket_over(int fd, std::size_t boundary) {
#ifdef MADV_POPULATE_WRITE
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  if (boundary % page != 0 || boundary == 0) return false;
  void* const mapping =
      ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(boundary - page));
  if (mapping == MAP_FAILED) return false;
  // Makes both pages present and writable, or says so: a store that found them missing could raise SIGBUS.
  const bool present = ::madvise(mapping, 2 * page, MADV_POPULATE_WRITE) == 0;
  if (present) {
    std::uint16_t value = 0;
    std::memcpy(&value, " ]", sizeof value);
    std::byte* const last = static_cast<std::byte*>(mapping) + page - 1;
    reinterpret_cast<volatile TwoBytes*>(last)->value = value;
  }
  ::munmap(mapping, 2 * page);
  return present;
#else
  static_cast<void>(fd);
  static_cast<void>(boundary);
  return false;
#endif
}

}  // namespace treering::timeline
