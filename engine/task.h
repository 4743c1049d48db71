#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/request.h"
#include "treering/engine.h"

namespace treering {

/// Where one tensor of a request lies on this rank. In place: equal addresses.
struct TensorMemory {
  const std::byte* input = nullptr;
  std::byte* output = nullptr;
};

/// A request with this rank's side of it.
struct Task {
  Request request;
  TensorMemory first;               ///< of the first tensor, so that single tensors need no list
  std::vector<TensorMemory> rest;   ///< of the other tensors of a bundle, or of the one tensor on the other devices
  std::int64_t rows = 0;            ///< allgather: this rank's first dimension
  Nanoseconds enqueued = 0;         ///< only known while a timeline is recorded
  std::uint32_t traced_name = 0;    ///< likewise: the recorder's number for `name`
  std::uint64_t traced_number = 0;  ///< likewise: of the operation on this rank

  /// There are bundles only where a rank drives one device.
  const TensorMemory& memory(std::size_t tensor, std::size_t device) const {
    return tensor + device == 0 ? first : rest[tensor + device - 1];
  }
  const std::string& name() const { return request.tensors.front().name; }
};

/// These check everything that one rank can see alone and throw Error(invalid_argument) naming the tensor and the cure.
Task allreduce_task(std::string_view name, TensorView tensor, ReduceOp op, const AllreduceOptions& options);
Task allreduce_task(std::string_view name, const ConstTensorView& input, TensorView output, ReduceOp op,
                    const AllreduceOptions& options);
/// One tensor for each of the rank's devices, in their order.
Task allreduce_task(std::string_view name, std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs,
                    ReduceOp op, const AllreduceOptions& options, int devices);
Task broadcast_task(std::string_view name, std::span<const TensorView> tensors, int root, int size, int devices);
/// Refuses one tensor where there are several devices.
void check_one_device(std::string_view name, int devices);
Task bundle_task(const std::vector<NamedTensor>& tensors, ReduceOp op, const AllreduceOptions& options);
Task broadcast_task(std::string_view name, TensorView tensor, int root, int size);
Task allgather_task(std::string_view name, const ConstTensorView& tensor);
Task barrier_task(std::string_view name);

}  // namespace treering
