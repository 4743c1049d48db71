#pragma once

#include "device/host/lanes.h"
#include "device/host/level.h"

namespace treering::device {

/// One source to many destinations in one pass, with plain loads and stores of whole vectors. Not memcpy: for more than
/// a few KiB glibc 2.36 uses `rep movsb`, which on AMD's Zen 3 is two to three times slower unless both addresses lie
/// alike within a page, and tensors from malloc never lie like slots. A destination may be the source.
template <class Level>
class CopyPass {
 public:
  using Lanes = Vector<std::uint8_t, Level::bytes>;

  static void run(const std::byte* source, std::byte* const* destinations, std::size_t count, std::size_t bytes) {
    constexpr std::size_t step = unroll * sizeof(Lanes);
    std::size_t offset = before_alignment(destinations[0], bytes);
    part(source, destinations, count, 0, offset);
    if (count == 1) {
      for (; offset + step <= bytes; offset += step) block(source + offset, destinations, 1, offset);
    } else {
      for (; offset + step <= bytes; offset += step) block(source + offset, destinations, count, offset);
    }
    part(source, destinations, count, offset, bytes - offset);
  }

 private:
  static constexpr std::size_t unroll = 8;

  /// Loads may cross cache lines cheaply, stores not.
  TREERING_INLINE static std::size_t before_alignment(const std::byte* destination, std::size_t bytes) {
    const std::size_t missing = -reinterpret_cast<std::uintptr_t>(destination) % sizeof(Lanes);
    return missing < bytes ? missing : bytes;
  }

  TREERING_INLINE static void block(const std::byte* from, std::byte* const* destinations, std::size_t count,
                                    std::size_t offset) {
    Lanes lanes[unroll];
    for (std::size_t i = 0; i < unroll; ++i) lanes[i] = load_lanes<Level, Lanes>(from + i * sizeof(Lanes));
    for (std::size_t d = 0; d < count; ++d) {
      for (std::size_t i = 0; i < unroll; ++i)
        store_lanes<Level>(destinations[d] + offset + i * sizeof(Lanes), lanes[i]);
    }
  }

  /// Shorter than a block: here the library's copy is at its best.
  TREERING_INLINE static void part(const std::byte* source, std::byte* const* destinations, std::size_t count,
                                   std::size_t offset, std::size_t bytes) {
    for (std::size_t d = 0; d < count; ++d) {
      if (destinations[d] != source) __builtin_memcpy(destinations[d] + offset, source + offset, bytes);
    }
  }
};

}  // namespace treering::device
