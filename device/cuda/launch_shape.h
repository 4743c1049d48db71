#pragma once

#include <algorithm>
#include <cstdint>

namespace treering::device {

inline constexpr unsigned cuda_threads = 256;   ///< of a block
inline constexpr std::uint64_t cuda_pack = 16;  ///< bytes that a thread handles at a time, where addresses allow

/// Enough blocks for one item per thread, but no more than a few waves: the kernels stride over the rest.
constexpr unsigned blocks_for(std::uint64_t items) {
  constexpr std::uint64_t most = 2048;
  return static_cast<unsigned>(std::clamp<std::uint64_t>((items + cuda_threads - 1) / cuda_threads, 1, most));
}

/// How the bytes of a copy are dealt to blocks: block b does [b * share, (b + 1) * share) of the total.
struct CopyShape {
  unsigned blocks;
  std::uint64_t share;
};

/// Equal shares of whole kilobytes, so that a piece of one large segment begins aligned if the segment does.
constexpr CopyShape copy_shape(std::uint64_t total) {
  constexpr std::uint64_t least_share = 16 * 1024;
  constexpr std::uint64_t unit = 1024;
  const unsigned most = blocks_for(total / least_share * cuda_threads);
  const std::uint64_t share = ((total + most - 1) / most + unit - 1) / unit * unit;
  return {static_cast<unsigned>(std::max<std::uint64_t>((total + share - 1) / share, 1)), share};
}

}  // namespace treering::device
