#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "device/copy_segment.h"
#include "device/kernels.h"
#include "treering/status.h"

namespace treering::device {

/// A cudaStream_t, so that nobody else needs CUDA's headers.
struct CudaStream {
  void* handle = nullptr;
};

inline constexpr std::size_t max_cuda_operands = 64;  ///< sources, and destinations, of one launch

// Launchers for the current device. All return once the work is enqueued, never wait and never allocate; whatever CUDA
// says about the launch comes back as a Status. Addresses are the device's.

/// HostKernels::reduce, on a device, with the same bits.
Status cuda_reduce(const Reduction& what, std::span<const std::byte* const> sources,
                   std::span<std::byte* const> destinations, std::size_t bytes, CudaStream stream);

/// destination[i] = source[i] * factor, from one floating type to another. Computed in float64 if either is f64, else
/// in float32; f64 goes to a half by way of float32. Source and destination do not overlap.
Status cuda_cast(DataType from, const std::byte* source, DataType to, std::byte* destination, std::size_t elements,
                 double factor, CudaStream stream);

/// Copies all segments in one launch, by equal shares of bytes whatever their sizes. The table has been numbered
/// (`total` is what number_segments returned), lies in memory that the device can read (pinned host memory will do),
/// and stays there unchanged until the work is done. No destination overlaps anything else.
Status cuda_copy_segments(const CopySegment* table, std::size_t count, std::uint64_t total, CudaStream stream);

/// Makes CUDA load every kernel now, on the current device, lest the first launch of each does it.
Status cuda_preload_kernels();

}  // namespace treering::device
