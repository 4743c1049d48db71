#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "device/copy_segment.h"
#include "device/device.h"
#include "treering/status.h"

namespace treering::device {

/// What came of a launch.
struct CudaLaunch {
  Status status;
  int code = 0;  ///< a cudaError_t; 0 also if the launch was refused before CUDA was asked
};

// Launchers for the current device. All return once the work is enqueued, never wait and never allocate; whatever CUDA
// says about the launch comes back. Addresses are the device's. What they do is said in device/device.h.

CudaLaunch cuda_reduce(const Reduction& what, std::span<const std::byte* const> sources,
                       std::span<std::byte* const> destinations, std::size_t bytes, Stream stream);

CudaLaunch cuda_cast(DataType from, const std::byte* source, DataType to, std::byte* destination, std::size_t elements,
                     double factor, Stream stream);

CudaLaunch cuda_copy_segments(const CopySegment* table, std::size_t count, std::uint64_t total, Stream stream);

/// Makes CUDA load every kernel now, on the current device, lest the first launch of each does it.
CudaLaunch cuda_preload_kernels();

}  // namespace treering::device
