#include "controller/mismatch.h"

#include <cstdio>

namespace treering::controller {
namespace {

std::string shape_text(const Request& request, const TensorSpec& tensor) {
  std::string text = request.kind == OperationKind::allgather ? "[*" : "[";
  for (const std::int64_t extent : tensor.shape) text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + "]";
}

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string bundle_text(const Request& request) {
  if (request.tensors.size() == 1) return "alone";
  std::string text = "in a bundle of " + std::to_string(request.tensors.size()) + " (";
  for (std::size_t i = 0; i < request.tensors.size() && i < 8; ++i)
    text += (i > 0 ? ", '" : "'") + request.tensors[i].name + "'";
  return text + (request.tensors.size() > 8 ? ", ...)" : ")");
}

const TensorSpec* find(const Request& request, const std::string& name) {
  for (const TensorSpec& tensor : request.tensors)
    if (tensor.name == name) return &tensor;
  return nullptr;
}

struct Difference {
  std::string tensor;
  std::string field;
  std::string left;
  std::string right;
  std::string advice;
};

// In the order in which the fields are compared.
Difference difference_of(const Request& left, const Request& right) {
  const TensorSpec* shared = nullptr;
  for (const TensorSpec& mine : left.tensors) {
    const TensorSpec* theirs = find(right, mine.name);
    if (theirs == nullptr) continue;
    if (shared == nullptr) shared = &mine;
    if (left.kind != right.kind)
      return {mine.name, "operation", name_of(left.kind), name_of(right.kind),
              "use different names for different operations"};
    if (mine.type != theirs->type)
      return {mine.name, "element type", name_of(mine.type), name_of(theirs->type), "convert before the call"};
    if (mine.shape != theirs->shape)
      return {mine.name, "shape", shape_text(left, mine), shape_text(right, *theirs), "hand over the same shape"};
  }
  const std::string name = shared != nullptr ? shared->name : left.tensors.front().name;
  if (left.op != right.op) return {name, "reduce op", name_of(left.op), name_of(right.op), "pass the same ReduceOp"};
  if (left.root != right.root)
    return {name, "root", std::to_string(left.root), std::to_string(right.root), "pass the same root"};
  if (left.prescale != right.prescale)
    return {name, "prescale", number_text(left.prescale), number_text(right.prescale), "pass the same scale"};
  if (left.postscale != right.postscale)
    return {name, "postscale", number_text(left.postscale), number_text(right.postscale), "pass the same scale"};
  if (left.priority != right.priority)
    return {name, "priority", std::to_string(left.priority), std::to_string(right.priority), "pass the same priority"};
  return {name, "bundle", bundle_text(left), bundle_text(right), "bundle the same tensors in the same order"};
}

}  // namespace

std::string mismatch_text(const RankedPost& left, const RankedPost& right) {
  const Difference difference = difference_of(*left.post.request, *right.post.request);
  return "tensor '" + difference.tensor + "': ranks disagree about its " + difference.field + ": " + left.ranks.text() +
         " asked for " + difference.left + ", " + right.ranks.text() + " for " + difference.right + "; " +
         difference.advice + " on every rank. Nothing was transferred";
}

std::string broken_text(const RankedPost& broken) {
  const Request& request = *broken.post.request;
  return "tensor '" + request.tensors[static_cast<std::size_t>(broken.post.broken)].name + "': " + broken.ranks.text() +
         " asked for it " + bundle_text(request) +
         ", and that request has failed because of another of its tensors; bundle the same tensors in the same order "
         "on "
         "every rank. Nothing was transferred";
}

std::string signature_text(const Request& request) {
  const TensorSpec& first = request.tensors.front();
  std::string text = name_of(request.kind);
  if (request.kind != OperationKind::barrier)
    text += std::string(" ") + name_of(first.type) + " " + shape_text(request, first);
  if (request.kind == OperationKind::allreduce) text += std::string(" ") + name_of(request.op);
  if (request.tensors.size() > 1) text += " and " + std::to_string(request.tensors.size() - 1) + " more";
  return text;
}

}  // namespace treering::controller
