#pragma once

#include <cstddef>
#include <vector>

#include "device/copy_segment.h"
#include "device/kernels.h"

namespace treering::device::tests {

/// What the CUDA kernels' threads do, done by a loop on the host, so that their arithmetic is tested where no GPU is.
void reduce_like_cuda(const Reduction& what, const std::vector<const std::byte*>& sources,
                      const std::vector<std::byte*>& destinations, std::size_t bytes);

/// Block b of the blocks does bytes [b * share, (b + 1) * share).
void copy_like_cuda(const std::vector<CopySegment>& table, std::uint64_t total, unsigned blocks, std::uint64_t share,
                    unsigned threads);

void cast_like_cuda(DataType from, const std::byte* source, DataType to, std::byte* destination, std::size_t elements,
                    double factor);

}  // namespace treering::device::tests
