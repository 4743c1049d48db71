#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "device/cuda/entry_points.h"
#include "device/cuda/errors.h"
#include "device/cuda/kernels.h"
#include "device/cuda/launch_shape.h"
#include "device/reduction_rules.h"

namespace treering::device {

namespace {

/// The runtime also remembers an error for whoever asks next; the result is enough.
CudaLaunch outcome(cudaError_t error, const char* action) {
  if (error != cudaSuccess) static_cast<void>(cudaGetLastError());
  return {cuda_status(error, action), error};
}

template <class... Parameters, class... Arguments>
CudaLaunch launch(void (*kernel)(Parameters...), unsigned blocks, Stream stream, const char* action,
                  Arguments... arguments) {
  void* addresses[] = {static_cast<void*>(&arguments)...};
  return outcome(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(blocks), dim3(cuda_threads), addresses, 0,
                                  static_cast<cudaStream_t>(stream.handle)),
                 action);
}

bool is_aligned(const std::byte* address) { return reinterpret_cast<std::uintptr_t>(address) % cuda_pack == 0; }

CudaLaunch too_many(const char* what, std::size_t count) {
  return {{StatusCode::invalid_argument, "a CUDA reduction takes 1 to " + std::to_string(max_operands) + " " + what +
                                             ", not " + std::to_string(count) + ": reduce in several steps"}};
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

CudaLaunch copy_to_all(const std::byte* source, std::span<std::byte* const> destinations, std::size_t bytes,
                       Stream stream) {
  for (std::byte* const destination : destinations) {
    if (destination == source) continue;
    CudaLaunch copied = outcome(
        cudaMemcpyAsync(destination, source, bytes, cudaMemcpyDefault, static_cast<cudaStream_t>(stream.handle)),
        "enqueue a copy");
    if (!copied.status.ok()) return copied;
  }
  return {};
}

CudaLaunch preload(const void* kernel) {
  cudaFuncAttributes attributes;
  return outcome(cudaFuncGetAttributes(&attributes, kernel), "load its kernels");
}

}  // namespace

static_assert(CudaOperands::limit == max_operands);

CudaLaunch cuda_reduce(const Reduction& what, std::span<const std::byte* const> sources,
                       std::span<std::byte* const> destinations, std::size_t bytes, Stream stream) {
  if (sources.empty() || sources.size() > max_operands) return too_many("sources", sources.size());
  if (destinations.empty() || destinations.size() > max_operands) {
    return too_many("destinations", destinations.size());
  }
  if (bytes == 0) return {};
  const Reduction needed = without_idle_factors(what);
  if (is_plain_copy(needed, sources.size())) return copy_to_all(sources[0], destinations, bytes, stream);
  const CudaFactors factors = {needed.prescale, needed.finish == Finish::scale ? needed.scale : 1.0,
                               needed.finish == Finish::divide ? needed.divisor : 1, needed.prescaled_sources};
  return launch(reduce_kernel_of(needed.type, needed.op), blocks_for((bytes + cuda_pack - 1) / cuda_pack), stream,
                "launch a reduction", operands_of(sources, destinations, bytes), factors);
}

CudaLaunch cuda_cast(DataType from, const std::byte* source, DataType to, std::byte* destination, std::size_t elements,
                     double factor, Stream stream) {
  const CastKernel kernel = cast_kernel_of(from, to);
  if (kernel == nullptr) {
    return {{StatusCode::invalid_argument,
             std::string("cannot cast ") + name_of(from) + " to " + name_of(to) + ": only floating types are cast"}};
  }
  if (elements == 0) return {};
  return launch(kernel, blocks_for(elements), stream, "launch a cast", source, destination, elements, factor);
}

CudaLaunch cuda_copy_segments(const CopySegment* table, std::size_t count, std::uint64_t total, Stream stream) {
  if (total == 0) return {};
  const CopyShape shape = copy_shape(total);
  return launch(copy_kernel(), shape.blocks, stream, "launch a copy of segments", table, count, total, shape.share);
}

CudaLaunch cuda_preload_kernels() {
  CudaLaunch loaded = preload(reinterpret_cast<const void*>(copy_kernel()));
  for (int type = 0; type < data_type_count; ++type) {
    for (int other = 0; loaded.status.ok() && other < data_type_count; ++other) {
      const CastKernel cast = cast_kernel_of(static_cast<DataType>(type), static_cast<DataType>(other));
      if (cast != nullptr) loaded = preload(reinterpret_cast<const void*>(cast));
    }
    for (int op = 0; loaded.status.ok() && op < reduce_op_count; ++op) {
      const ReduceKernel reduce = reduce_kernel_of(static_cast<DataType>(type), static_cast<ReduceOp>(op));
      loaded = preload(reinterpret_cast<const void*>(reduce));
    }
  }
  return loaded;
}

}  // namespace treering::device
