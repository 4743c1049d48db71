#include "device/host/host_kernels.h"

#include <algorithm>
#include <cstring>

namespace treering::device {

void copy_to_all(const std::byte* source, std::span<std::byte* const> destinations, std::size_t bytes) {
  // With one destination the library's copy decides best; with several, a block stays in the first-level cache.
  constexpr std::size_t cached = 8 * 1024;
  const std::size_t block = destinations.size() > 1 ? cached : bytes;
  for (std::size_t offset = 0; offset < bytes; offset += block) {
    const std::size_t length = std::min(block, bytes - offset);
    for (std::byte* const destination : destinations) {
      if (destination != source) std::memcpy(destination + offset, source + offset, length);
    }
  }
}

std::span<const HostKernels* const> all_host_kernels() { return supported_levels(); }

const HostKernels& host_kernels() { return *supported_levels().back(); }

}  // namespace treering::device
