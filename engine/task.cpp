#include "engine/task.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <set>

namespace treering {
namespace {

constexpr std::size_t longest_name = 4096;
constexpr std::int64_t most_bytes = std::int64_t{1} << 56;

[[noreturn]] void refuse(std::string_view name, const std::string& why) {
  throw Error(StatusCode::invalid_argument, fmt::format("tensor \"{}\": {}", name.substr(0, 200), why));
}

void check_name(std::string_view name) {
  if (name.size() > longest_name)
    refuse(name, fmt::format("the name has {} bytes; at most {} are accepted", name.size(), longest_name));
}

std::int64_t checked_elements(std::string_view name, const Shape& shape, std::size_t element) {
  std::int64_t elements = 1;
  bool empty = false;
  bool large = false;
  for (const std::int64_t extent : shape) {
    if (extent < 0) refuse(name, fmt::format("the shape has the negative extent {}", extent));
    if (extent == 0) {
      empty = true;
    } else {
      large = large || __builtin_mul_overflow(elements, extent, &elements) || elements > most_bytes;
    }
  }
  if (large || elements > most_bytes / static_cast<std::int64_t>(element))
    refuse(name, "the shape describes more than 2^56 bytes");
  return empty ? 0 : elements;
}

void check_memory(std::string_view name, const void* data, DataType type, const Shape& shape) {
  const std::size_t element = size_of(type);
  if (element == 0) refuse(name, fmt::format("{} is not an element type", static_cast<int>(type)));
  if (checked_elements(name, shape, element) == 0) return;
  if (data == nullptr) refuse(name, "the address is null although the shape is not empty");
  if (reinterpret_cast<std::uintptr_t>(data) % element != 0)
    refuse(name, fmt::format("the address {} is not aligned to the {} bytes of a {}", data, element, name_of(type)));
}

void check_reduction(std::string_view name, DataType type, ReduceOp op, const AllreduceOptions& options) {
  if (static_cast<int>(op) >= reduce_op_count) refuse(name, fmt::format("{} is not a reduction", static_cast<int>(op)));
  if (type == DataType::boolean && op == ReduceOp::average)
    refuse(name, "the average of bools is not defined; use sum (or), product (and), or another type");
  if (options.prescale == 1.0 && options.postscale == 1.0) return;
  if (!is_floating(type))
    refuse(name, fmt::format("prescale {} and postscale {} need a floating type, not {}", options.prescale,
                             options.postscale, name_of(type)));
  if (!std::isfinite(options.prescale) || !std::isfinite(options.postscale))
    refuse(name, fmt::format("prescale {} and postscale {} must be finite", options.prescale, options.postscale));
}

void check_overlap(std::string_view name, const TensorMemory& memory, std::uint64_t bytes) {
  const auto in = reinterpret_cast<std::uintptr_t>(memory.input);
  const auto out = reinterpret_cast<std::uintptr_t>(memory.output);
  if (in != out && in < out + bytes && out < in + bytes)
    refuse(name, "input and output overlap in part; they must be the same memory or apart");
}

Request reduction_request(ReduceOp op, const AllreduceOptions& options) {
  Request request;
  request.kind = OperationKind::allreduce;
  request.op = op;
  request.priority = options.priority;
  request.prescale = options.prescale;
  request.postscale = options.postscale;
  return request;
}

void check_counts(std::string_view name, std::size_t tensors, int devices) {
  if (tensors != static_cast<std::size_t>(devices))
    refuse(name, fmt::format("{} tensors for the {} device(s) of this rank (TREERING_DEVICES): hand over one for each",
                             tensors, devices));
}

void check_alike(std::string_view name, const Request& first, const Request& other, std::size_t device) {
  if (first.tensors != other.tensors)
    refuse(name, fmt::format("device {} has another type or shape than device 0", device));
}

/// What one device writes no other may read or write.
void check_apart(std::string_view name, const Task& task) {
  const std::uint64_t bytes = task.request.tensors.front().bytes();
  const auto meet = [&](const std::byte* a, const std::byte* b) {
    const auto x = reinterpret_cast<std::uintptr_t>(a), y = reinterpret_cast<std::uintptr_t>(b);
    return x < y + bytes && y < x + bytes;
  };
  for (std::size_t i = 0; i <= task.rest.size(); ++i)
    for (std::size_t j = 0; j <= task.rest.size(); ++j) {
      const TensorMemory &own = task.memory(0, i), &other = task.memory(0, j);
      if (i != j && (meet(own.output, other.output) || meet(own.output, other.input)))
        refuse(name, fmt::format("the tensors of devices {} and {} overlap", i, j));
    }
}

}  // namespace

Task allreduce_task(std::string_view name, TensorView tensor, ReduceOp op, const AllreduceOptions& options) {
  check_name(name);
  check_memory(name, tensor.data, tensor.type, tensor.shape);
  check_reduction(name, tensor.type, op, options);
  Task task;
  task.request = reduction_request(op, options);
  task.request.tensors.push_back({std::string(name), tensor.type, std::move(tensor.shape)});
  auto* const data = static_cast<std::byte*>(tensor.data);
  task.first = {data, data};
  return task;
}

Task allreduce_task(std::string_view name, const ConstTensorView& input, TensorView output, ReduceOp op,
                    const AllreduceOptions& options) {
  check_memory(name, input.data, input.type, input.shape);
  if (input.type != output.type || input.shape != output.shape)
    refuse(name,
           fmt::format("input ({} elements of {}) and output ({} elements of {}) must have the same type and shape",
                       checked_elements(name, input.shape, size_of(input.type)), name_of(input.type),
                       checked_elements(name, output.shape, size_of(output.type)), name_of(output.type)));
  Task task = allreduce_task(name, std::move(output), op, options);
  task.first.input = static_cast<const std::byte*>(input.data);
  check_overlap(name, task.first, task.request.tensors.front().bytes());
  return task;
}

void check_one_device(std::string_view name, int devices) {
  if (devices > 1)
    refuse(name, fmt::format("this rank drives {} devices (TREERING_DEVICES): hand over one tensor for each", devices));
}

Task allreduce_task(std::string_view name, std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs,
                    ReduceOp op, const AllreduceOptions& options, int devices) {
  check_counts(name, inputs.size(), devices);
  check_counts(name, outputs.size(), devices);
  Task task = allreduce_task(name, inputs[0], outputs[0], op, options);
  for (std::size_t device = 1; device < inputs.size(); ++device) {
    Task other = allreduce_task(name, inputs[device], outputs[device], op, options);
    check_alike(name, task.request, other.request, device);
    task.rest.push_back(other.first);
  }
  check_apart(name, task);
  return task;
}

Task broadcast_task(std::string_view name, std::span<const TensorView> tensors, int root, int size, int devices) {
  check_counts(name, tensors.size(), devices);
  Task task = broadcast_task(name, tensors[0], root, size);
  for (std::size_t device = 1; device < tensors.size(); ++device) {
    const Task other = broadcast_task(name, tensors[device], root, size);
    check_alike(name, task.request, other.request, device);
    task.rest.push_back(other.first);
  }
  check_apart(name, task);
  return task;
}

Task bundle_task(const std::vector<NamedTensor>& tensors, ReduceOp op, const AllreduceOptions& options) {
  if (tensors.empty()) throw Error(StatusCode::invalid_argument, "a bundle needs at least one tensor");
  Task task;
  task.request = reduction_request(op, options);
  std::set<std::string_view> names;
  for (const auto& [name, tensor] : tensors) {
    check_name(name);
    if (!names.insert(name).second) refuse(name, "the name appears twice in one bundle");
    check_memory(name, tensor.data, tensor.type, tensor.shape);
    check_reduction(name, tensor.type, op, options);
    auto* const data = static_cast<std::byte*>(tensor.data);
    if (task.request.tensors.empty()) {
      task.first = {data, data};
    } else {
      task.rest.push_back({data, data});
    }
    task.request.tensors.push_back({name, tensor.type, tensor.shape});
  }
  return task;
}

Task broadcast_task(std::string_view name, TensorView tensor, int root, int size) {
  check_name(name);
  check_memory(name, tensor.data, tensor.type, tensor.shape);
  if (root < 0 || root >= size)
    refuse(name, fmt::format("broadcast from rank {}, but the ranks are 0 to {}", root, size - 1));
  Task task;
  task.request.kind = OperationKind::broadcast;
  task.request.root = root;
  task.request.tensors.push_back({std::string(name), tensor.type, tensor.shape});
  auto* const data = static_cast<std::byte*>(tensor.data);
  task.first = {data, data};
  return task;
}

Task allgather_task(std::string_view name, const ConstTensorView& tensor) {
  check_name(name);
  if (tensor.shape.empty()) refuse(name, "an allgather needs at least one dimension; give a scalar the shape {1}");
  check_memory(name, tensor.data, tensor.type, tensor.shape);
  Task task;
  task.request.kind = OperationKind::allgather;
  task.request.tensors.push_back({std::string(name), tensor.type, Shape(tensor.shape.begin() + 1, tensor.shape.end())});
  checked_elements(name, task.request.tensors.front().shape, size_of(tensor.type));
  task.first.input = static_cast<const std::byte*>(tensor.data);
  task.rows = tensor.shape.front();
  return task;
}

Task barrier_task(std::string_view name) {
  check_name(name);
  Task task;
  task.request.kind = OperationKind::barrier;
  task.request.tensors.push_back({std::string(name), DataType::u8, Shape{0}});
  return task;
}

}  // namespace treering
