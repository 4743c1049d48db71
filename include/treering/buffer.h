#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace treering {

/// Memory from `Engine::allocate`: the node's other ranks can map it, so tensors that live here are reduced in place
/// without being copied. Zeroed, 64-byte aligned, movable; may outlive the engine. Freed memory is reused only after
/// the buffer is gone: keep it until the handles of operations on it are done.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(std::shared_ptr<void> memory, std::size_t count) : memory_(std::move(memory)), count_(count) {}

  T* data() { return static_cast<T*>(memory_.get()); }
  const T* data() const { return static_cast<const T*>(memory_.get()); }
  std::size_t size() const { return count_; }
  T* begin() { return data(); }
  T* end() { return data() + count_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + count_; }
  T& operator[](std::size_t index) { return data()[index]; }
  const T& operator[](std::size_t index) const { return data()[index]; }

 private:
  std::shared_ptr<void> memory_;
  std::size_t count_ = 0;
};

}  // namespace treering
