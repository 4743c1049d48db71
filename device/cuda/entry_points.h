#pragma once

#include <cstddef>
#include <cstdint>

#include "device/copy_segment.h"
#include "treering/types.h"

namespace treering::device {

/// What the kernels take by value. No counts of zero.
struct CudaOperands {
  static constexpr std::size_t limit = 64;
  const std::byte* sources[limit];
  std::byte* destinations[limit];
  std::uint32_t source_count;
  std::uint32_t destination_count;
  std::uint64_t bytes;
  bool wide;  ///< every address is a multiple of 16
};

/// Factors and divisor of a Reduction; 1 where there are none.
struct CudaFactors {
  double prescale;
  double scale;
  std::int64_t divisor;
  std::uint32_t prescaled_sources;
};

/// Addresses of kernels for cudaLaunchKernel, from kernels.cu. Arguments of a reduce kernel: CudaOperands,
/// CudaFactors; of a cast kernel: source, destination, elements (size_t), factor (double); of the copy kernel: table,
/// count (size_t), total (uint64), share of each block in bytes (uint64).
using ReduceKernel = void (*)(CudaOperands, CudaFactors);
using CastKernel = void (*)(const std::byte*, std::byte*, std::size_t, double);
using CopyKernel = void (*)(const CopySegment*, std::size_t, std::uint64_t, std::uint64_t);

ReduceKernel reduce_kernel_of(DataType type, ReduceOp op);
/// Null unless both are floating types.
CastKernel cast_kernel_of(DataType from, DataType to);
CopyKernel copy_kernel();

}  // namespace treering::device
