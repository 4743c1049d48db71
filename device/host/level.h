#pragma once

#include <cstddef>

#include "device/kernels.h"

namespace treering::device {

/// As HostKernels::reduce, for one type and operation. Plain pointers, because the files of a level must not
/// instantiate anything that another file could instantiate too: the linker keeps one copy of an inline function, and
/// it might keep the one made of instructions that this CPU lacks. For the same reason they use no library templates,
/// Eigen's included.
using ReduceFunction = void (*)(const Reduction& what, const std::byte* const* sources, std::size_t source_count,
                                std::byte* const* destinations, std::size_t destination_count, std::size_t bytes);

/// As HostKernels::copy.
using CopyFunction = void (*)(const std::byte* source, std::byte* const* destinations, std::size_t destination_count,
                              std::size_t bytes);

/// The kernels of one instruction-set level; reductions by type and operation.
struct LevelKernels {
  ReduceFunction reduce[data_type_count][reduce_op_count];
  CopyFunction copy;
};

extern const LevelKernels baseline_kernels;
extern const LevelKernels avx2_kernels;    ///< x86-64 only: needs AVX2 and F16C
extern const LevelKernels avx512_kernels;  ///< x86-64 only: needs AVX-512 F, BW, DQ, VL and F16C

}  // namespace treering::device
