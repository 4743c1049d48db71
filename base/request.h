#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "treering/tensor.h"
#include "treering/types.h"

namespace treering {

enum class OperationKind : std::uint8_t { allreduce, broadcast, allgather, barrier };
inline constexpr int operation_kind_count = 4;

constexpr const char* name_of(OperationKind kind) {
  constexpr const char* names[] = {"allreduce", "broadcast", "allgather", "barrier"};
  const auto index = static_cast<std::size_t>(kind);
  return index < operation_kind_count ? names[index] : "unknown operation";
}

/// A tensor as all ranks must see it: no addresses. For an allgather the shape lacks the first dimension, which may
/// differ.
struct TensorSpec {
  std::string name;
  DataType type = DataType::f32;
  Shape shape;

  bool operator==(const TensorSpec&) const = default;
  std::int64_t elements() const {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    return count;
  }
  std::uint64_t bytes() const { return static_cast<std::uint64_t>(elements()) * size_of(type); }
};

/// One rank's word that it wants one operation: the signature that must be equal on all ranks. Several tensors make a
/// bundle, which occupies the names of all of them. A barrier has one tensor of no elements, for its name.
struct Request {
  OperationKind kind = OperationKind::allreduce;
  ReduceOp op = ReduceOp::sum;  ///< allreduce only, else sum
  std::int32_t root = 0;        ///< broadcast only, else 0
  std::int32_t priority = 0;
  double prescale = 1.0;
  double postscale = 1.0;
  std::vector<TensorSpec> tensors;

  bool operator==(const Request&) const = default;
};

/// Stands for a definition in the stream; never reused within a job.
using DefinitionId = std::uint32_t;

struct Definition {
  DefinitionId id = 0;
  Request request;
};

/// Sum of the bytes of all tensors of a request; 0 for barriers, and for allgathers, whose sizes are not agreed.
inline std::uint64_t bytes_of(const Request& request) {
  if (request.kind == OperationKind::allgather) return 0;
  std::uint64_t sum = 0;
  for (const TensorSpec& tensor : request.tensors) sum += tensor.bytes();
  return sum;
}

}  // namespace treering
