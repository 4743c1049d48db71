#include "treering/handle.h"

#include "engine/operation.h"

namespace treering {
namespace {

Operation& required(const std::shared_ptr<Operation>& operation) {
  if (!operation) throw Error(StatusCode::invalid_argument, "this handle is empty: it was never returned by an engine");
  return *operation;
}

}  // namespace

void Handle::wait() const {
  Operation& operation = required(operation_);
  operation.wait();
  const Status status = operation.status();
  if (!status.ok()) throw Error(status);
}

bool Handle::wait_for(std::chrono::nanoseconds time) const { return required(operation_).wait_for(time); }

bool Handle::done() const { return required(operation_).done(); }

Status Handle::status() const { return required(operation_).status(); }

void Handle::then(std::function<void(const Status&)> callback) const { required(operation_).then(std::move(callback)); }

Gathered GatherHandle::result() const {
  wait();
  return operation_->gathered();
}

}  // namespace treering
