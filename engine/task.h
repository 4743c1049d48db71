#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/request.h"
#include "engine/operation.h"
#include "treering/engine.h"

namespace treering {

/// Where one tensor of a request lies on this rank. In place: equal addresses.
struct TensorMemory {
  const std::byte* input = nullptr;
  std::byte* output = nullptr;
};

/// A request with this rank's side of it: what the user thread hands to the engine thread.
struct Task {
  Request request;
  std::vector<TensorMemory> memory;  ///< per tensor of the request
  std::int64_t rows = 0;             ///< allgather: this rank's first dimension
  std::shared_ptr<Operation> operation;
  Nanoseconds enqueued = 0;
};

/// These check everything that one rank can see alone and throw Error(invalid_argument) naming the tensor and the cure.
Task allreduce_task(std::string_view name, const ConstTensorView& input, const TensorView& output, ReduceOp op,
                    const AllreduceOptions& options);
Task bundle_task(const std::vector<NamedTensor>& tensors, ReduceOp op, const AllreduceOptions& options);
Task broadcast_task(std::string_view name, const TensorView& tensor, int root, int size);
Task allgather_task(std::string_view name, const ConstTensorView& tensor);
Task barrier_task(std::string_view name);

}  // namespace treering
