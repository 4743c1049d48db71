#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "device/cuda/entry_points.h"
#include "device/cuda/errors.h"
#include "device/cuda/kernels.h"
#include "device/reduction_rules.h"

namespace treering::device {

namespace {

constexpr unsigned threads = 256;
constexpr std::uint64_t pack = 16;  ///< bytes that a thread handles at a time

/// Enough blocks for one pack per thread, but no more than a few waves: the kernels stride over the rest.
unsigned blocks_for(std::uint64_t packs) {
  constexpr std::uint64_t most = 2048;
  return static_cast<unsigned>(std::clamp<std::uint64_t>((packs + threads - 1) / threads, 1, most));
}

template <class... Parameters, class... Arguments>
Status launch(void (*kernel)(Parameters...), unsigned blocks, CudaStream stream, const char* action,
              Arguments... arguments) {
  void* addresses[] = {&arguments...};
  const cudaError_t error = cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(blocks), dim3(threads),
                                             addresses, 0, static_cast<cudaStream_t>(stream.handle));
  // The runtime also remembers the error for whoever asks next; the Status is enough.
  if (error != cudaSuccess) static_cast<void>(cudaGetLastError());
  return cuda_status(error, action);
}

bool is_aligned(const std::byte* address) { return reinterpret_cast<std::uintptr_t>(address) % pack == 0; }

Status too_many(const char* what, std::size_t count) {
  return {StatusCode::invalid_argument, "a CUDA reduction takes 1 to " + std::to_string(max_cuda_operands) + " " +
                                            what + ", not " + std::to_string(count) + ": reduce in several steps"};
}

CudaOperands operands_of(std::span<const std::byte* const> sources, std::span<std::byte* const> destinations,
                         std::size_t bytes) {
  CudaOperands operands = {};
  std::copy(sources.begin(), sources.end(), operands.sources);
  std::copy(destinations.begin(), destinations.end(), operands.destinations);
  operands.source_count = static_cast<std::uint32_t>(sources.size());
  operands.destination_count = static_cast<std::uint32_t>(destinations.size());
  operands.bytes = bytes;
  operands.wide = std::all_of(sources.begin(), sources.end(), is_aligned) &&
                  std::all_of(destinations.begin(), destinations.end(), is_aligned);
  return operands;
}

Status copy_to_all(const std::byte* source, std::span<std::byte* const> destinations, std::size_t bytes,
                   CudaStream stream) {
  for (std::byte* const destination : destinations) {
    if (destination == source) continue;
    const cudaError_t error =
        cudaMemcpyAsync(destination, source, bytes, cudaMemcpyDeviceToDevice, static_cast<cudaStream_t>(stream.handle));
    if (error != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      return cuda_status(error, "enqueue a copy");
    }
  }
  return {};
}

Status preload(const void* kernel) {
  cudaFuncAttributes attributes;
  const cudaError_t error = cudaFuncGetAttributes(&attributes, kernel);
  if (error != cudaSuccess) static_cast<void>(cudaGetLastError());
  return cuda_status(error, "load its kernels");
}

}  // namespace

static_assert(CudaOperands::limit == max_cuda_operands);

Status cuda_reduce(const Reduction& what, std::span<const std::byte* const> sources,
                   std::span<std::byte* const> destinations, std::size_t bytes, CudaStream stream) {
  if (sources.empty() || sources.size() > max_cuda_operands) return too_many("sources", sources.size());
  if (destinations.empty() || destinations.size() > max_cuda_operands) {
    return too_many("destinations", destinations.size());
  }
  if (bytes == 0) return {};
  const Reduction needed = without_idle_factors(what);
  if (is_plain_copy(needed, sources.size())) return copy_to_all(sources[0], destinations, bytes, stream);
  const CudaFactors factors = {needed.prescale, needed.finish == Finish::scale ? needed.scale : 1.0,
                               needed.finish == Finish::divide ? needed.divisor : 1, needed.prescaled_sources};
  return launch(reduce_kernel_of(needed.type, needed.op), blocks_for((bytes + pack - 1) / pack), stream,
                "launch a reduction", operands_of(sources, destinations, bytes), factors);
}

Status cuda_cast(DataType from, const std::byte* source, DataType to, std::byte* destination, std::size_t elements,
                 double factor, CudaStream stream) {
  const CastKernel kernel = cast_kernel_of(from, to);
  if (kernel == nullptr) {
    return {StatusCode::invalid_argument,
            std::string("cannot cast ") + name_of(from) + " to " + name_of(to) + ": only floating types are cast"};
  }
  if (elements == 0) return {};
  return launch(kernel, blocks_for(elements), stream, "launch a cast", source, destination, elements, factor);
}

Status cuda_copy_segments(const CopySegment* table, std::size_t count, std::uint64_t total, CudaStream stream) {
  if (total == 0) return {};
  constexpr std::uint64_t least_share = 16 * 1024;
  const unsigned blocks = blocks_for(total / least_share * threads);
  const std::uint64_t share = (total + blocks - 1) / blocks;
  return launch(copy_kernel(), blocks, stream, "launch a copy of segments", table, count, total, share);
}

Status cuda_preload_kernels() {
  Status status = preload(reinterpret_cast<const void*>(copy_kernel()));
  for (int type = 0; type < data_type_count; ++type) {
    for (int other = 0; status.ok() && other < data_type_count; ++other) {
      const CastKernel cast = cast_kernel_of(static_cast<DataType>(type), static_cast<DataType>(other));
      if (cast != nullptr) status = preload(reinterpret_cast<const void*>(cast));
    }
    for (int op = 0; status.ok() && op < reduce_op_count; ++op) {
      const ReduceKernel reduce = reduce_kernel_of(static_cast<DataType>(type), static_cast<ReduceOp>(op));
      status = preload(reinterpret_cast<const void*>(reduce));
    }
  }
  return status;
}

}  // namespace treering::device
