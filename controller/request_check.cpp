#include "controller/request_check.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace treering::controller {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 62;

// Zero extents do not hide an overflow of the others: the product must be safe in any order.
bool add_bytes(const TensorSpec& tensor, std::uint64_t& sum) {
  std::uint64_t bytes = size_of(tensor.type);
  bool is_empty = false;
  for (const std::int64_t extent : tensor.shape) {
    if (extent < 0) return false;
    if (extent == 0) {
      is_empty = true;
    } else if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(extent), &bytes) || bytes > most_bytes) {
      return false;
    }
  }
  if (!is_empty) sum += bytes;
  return sum <= most_bytes;
}

std::string repeated_name(const Request& request) {
  std::vector<std::string_view> names;
  for (const TensorSpec& tensor : request.tensors) names.push_back(tensor.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  return twice == names.end() ? std::string() : "a bundle names tensor '" + std::string(*twice) + "' twice";
}

std::string problem_with_tensor(const TensorSpec& tensor, std::uint64_t& sum) {
  if (tensor.name.size() > longest_name)
    return "the name of a tensor is longer than " + std::to_string(longest_name) + " bytes";
  if (static_cast<int>(tensor.type) >= data_type_count) return "tensor '" + tensor.name + "' has an unknown type";
  if (tensor.shape.size() > most_extents) return "tensor '" + tensor.name + "' has too many dimensions";
  if (!add_bytes(tensor, sum)) return "tensor '" + tensor.name + "' has a negative extent or too many elements";
  return {};
}

}  // namespace

std::string problem_with(const Request& request, int size) {
  if (static_cast<int>(request.kind) >= operation_kind_count) return "unknown operation";
  if (static_cast<int>(request.op) >= reduce_op_count) return "unknown reduce op";
  if (request.tensors.empty()) return "a request without tensors";
  if (request.root < 0 || request.root >= size)
    return "root " + std::to_string(request.root) + " is not a rank of this job of " + std::to_string(size);
  if (std::isnan(request.prescale) || std::isnan(request.postscale)) return "a scale is not a number";
  std::uint64_t sum = 0;
  for (const TensorSpec& tensor : request.tensors)
    if (std::string problem = problem_with_tensor(tensor, sum); !problem.empty()) return problem;
  if (request.tensors.size() == 1) {
    if (request.kind == OperationKind::barrier && sum != 0) return "a barrier carries no elements";
    return {};
  }
  if (request.kind != OperationKind::allreduce) return "only allreduces come in bundles";
  return repeated_name(request);
}

}  // namespace treering::controller
