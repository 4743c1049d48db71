#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "treering/status.h"
#include "treering/tensor.h"

namespace treering {

class Operation;  // private to the engine

/// One operation under way. Copies refer to the same operation. All members may be called from any thread, also after
/// the engine is gone; a handle may simply be dropped.
///
/// A handle is done, with or without error, only when the result is in place and no process and no library can touch
/// the tensor's memory any more. Until then the caller must not touch it either.
class Handle {
 public:
  Handle() = default;
  explicit Handle(std::shared_ptr<Operation> operation) : operation_(std::move(operation)) {}

  /// Blocks until done; throws Error if the operation failed.
  void wait() const;
  /// Blocks until done or until the time has passed; says whether it is done. Never throws for a failed operation.
  bool wait_for(std::chrono::nanoseconds time) const;
  bool done() const;
  /// Ok while under way and after success.
  Status status() const;
  /// Calls back on the engine's completion thread, in the order of completion, after `done()` has become true; at once
  /// queued there if it already is. Waiting for other handles inside is fine; shutting the engine down inside is
  /// refused. An exception thrown by the callback is logged and dropped.
  void then(std::function<void(const Status&)> callback) const;

 protected:
  std::shared_ptr<Operation> operation_;
};

/// The result of an allgather: every rank's rows, in rank order, in memory that the engine allocated.
class Gathered {
 public:
  Gathered() = default;
  Gathered(std::shared_ptr<std::byte[]> memory, DataType type, Shape shape, std::vector<std::int64_t> rows)
      : memory_(std::move(memory)), type_(type), shape_(std::move(shape)), rows_(std::move(rows)) {}

  const void* data() const { return memory_.get(); }
  DataType type() const { return type_; }
  const Shape& shape() const { return shape_; }
  /// First dimension that each rank contributed.
  const std::vector<std::int64_t>& rows() const { return rows_; }
  template <class T>
  const T* data_as() const {
    if (type_ != DataTypeOf<T>::value)
      throw Error(StatusCode::invalid_argument,
                  std::string("gathered elements are ") + name_of(type_) + ", not " + name_of(DataTypeOf<T>::value));
    return reinterpret_cast<const T*>(memory_.get());
  }

 private:
  std::shared_ptr<std::byte[]> memory_;
  DataType type_ = DataType::f32;
  Shape shape_;
  std::vector<std::int64_t> rows_;
};

class GatherHandle : public Handle {
 public:
  using Handle::Handle;
  /// Waits, then returns the gathered tensor. The memory lives as long as any copy of the result.
  Gathered result() const;
};

}  // namespace treering
