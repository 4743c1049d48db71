#include "device/cuda/launch_shape.h"
#include "device/cuda/passes.cuh"

namespace treering::device {

namespace {

__device__ std::uint64_t global_thread() { return blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; }
__device__ std::uint64_t all_threads() { return gridDim.x * static_cast<std::uint64_t>(blockDim.x); }

template <class Element, class Op>
__global__ void reduce(const __grid_constant__ CudaOperands operands, const __grid_constant__ CudaFactors factors) {
  const std::uint64_t stride = all_threads() * Pack::bytes;
  for (std::uint64_t offset = global_thread() * Pack::bytes; offset < operands.bytes; offset += stride) {
    reduce_pack<Element, Op>(operands, factors, offset);
  }
}

template <class From, class To>
__global__ void cast(const std::byte* source, std::byte* destination, std::size_t elements, double factor) {
  for (std::uint64_t i = global_thread(); i < elements; i += all_threads())
    cast_one<From, To>(source, destination, i, factor);
}

/// The table may lie behind a slow bus, so it is read once by each block, as many segments at a time as there are
/// threads, and found from there.
__global__ void copy_segments(const CopySegment* table, std::size_t count, std::uint64_t total, std::uint64_t share) {
  __shared__ std::size_t first;
  __shared__ alignas(CopySegment) std::byte tile_memory[cuda_threads * sizeof(CopySegment)];
  auto* const tile = reinterpret_cast<CopySegment*>(tile_memory);
  const std::uint64_t begin = blockIdx.x * share;
  const std::uint64_t end = begin + share < total ? begin + share : total;
  if (threadIdx.x == 0) first = first_to_read(table, count, begin);
  __syncthreads();
  for (std::size_t base = first; base < count; base += blockDim.x) {
    const std::size_t rest = count - base;
    const std::size_t held = rest < blockDim.x ? rest : blockDim.x;
    if (threadIdx.x < held) tile[threadIdx.x] = table[base + threadIdx.x];
    __syncthreads();
    copy_share(tile, held, begin, end, threadIdx.x, blockDim.x);
    const bool over = reaches(tile[held - 1], end);
    __syncthreads();
    if (over) break;
  }
}

template <class Element>
ReduceKernel reduce_kernel_for(ReduceOp op) {
  switch (op) {
    case ReduceOp::sum:
    case ReduceOp::average: return reduce<Element, SumOf>;
    case ReduceOp::min: return reduce<Element, MinOf>;
    case ReduceOp::max: return reduce<Element, MaxOf>;
    case ReduceOp::product: return reduce<Element, ProductOf>;
  }
  return nullptr;
}

template <class From>
CastKernel cast_kernel_from(DataType to) {
  switch (to) {
    case DataType::f16: return cast<From, Float16Element>;
    case DataType::bf16: return cast<From, BFloat16Element>;
    case DataType::f32: return cast<From, RealElement<float>>;
    case DataType::f64: return cast<From, RealElement<double>>;
    default: return nullptr;
  }
}

}  // namespace

ReduceKernel reduce_kernel_of(DataType type, ReduceOp op) {
  switch (type) {
    case DataType::u8: return reduce_kernel_for<IntegerElement<std::uint8_t>>(op);
    case DataType::i8: return reduce_kernel_for<IntegerElement<std::int8_t>>(op);
    case DataType::i32: return reduce_kernel_for<IntegerElement<std::int32_t>>(op);
    case DataType::i64: return reduce_kernel_for<IntegerElement<std::int64_t>>(op);
    case DataType::f16: return reduce_kernel_for<Float16Element>(op);
    case DataType::bf16: return reduce_kernel_for<BFloat16Element>(op);
    case DataType::f32: return reduce_kernel_for<RealElement<float>>(op);
    case DataType::f64: return reduce_kernel_for<RealElement<double>>(op);
    case DataType::boolean: return reduce_kernel_for<BooleanElement>(op);
  }
  return nullptr;
}

CastKernel cast_kernel_of(DataType from, DataType to) {
  switch (from) {
    case DataType::f16: return cast_kernel_from<Float16Element>(to);
    case DataType::bf16: return cast_kernel_from<BFloat16Element>(to);
    case DataType::f32: return cast_kernel_from<RealElement<float>>(to);
    case DataType::f64: return cast_kernel_from<RealElement<double>>(to);
    default: return nullptr;
  }
}

CopyKernel copy_kernel() { return copy_segments; }

}  // namespace treering::device
