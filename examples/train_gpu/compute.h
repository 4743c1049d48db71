#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "examples/train_gpu/kernels.h"

namespace fashion::gpu {

/// One stream of a device that the example computes on. Everything but `allocate` and `finish` only enqueues. Throws
/// std::runtime_error when the device refuses something.
class Compute {
 public:
  virtual ~Compute() = default;

  /// For the engine: a cudaStream_t, or a software device's stream.
  virtual void* stream() const = 0;
  /// Device memory, given back with the Compute.
  virtual std::byte* allocate(std::size_t bytes) = 0;
  /// Host memory that the device reaches, given back with the Compute.
  virtual std::byte* allocate_pinned(std::size_t bytes) = 0;
  /// Between device and pinned memory, either way.
  virtual void copy(const void* from, void* to, std::size_t bytes) = 0;
  /// Waits until everything enqueued is done.
  virtual void finish() = 0;

  // Calls the kernel for every index below `count`.
  virtual void each(std::size_t count, const LoadImages& kernel) = 0;
  virtual void each(std::size_t count, const Dense& kernel) = 0;
  virtual void each(std::size_t count, const SoftmaxLoss& kernel) = 0;
  virtual void each(std::size_t count, const WeightGradient& kernel) = 0;
  virtual void each(std::size_t count, const RowSum& kernel) = 0;
  virtual void each(std::size_t count, const DeltaBefore& kernel) = 0;
  virtual void each(std::size_t count, const Descend& kernel) = 0;

  template <class T>
  T* allocate_elements(std::size_t count) {
    return reinterpret_cast<T*>(allocate(count * sizeof(T)));
  }
  template <class T>
  T* allocate_pinned_elements(std::size_t count) {
    return reinterpret_cast<T*>(allocate_pinned(count * sizeof(T)));
  }
};

/// All kinds of kernels by one function template `launch(count, kernel)` of the derived class.
template <class Derived>
class ComputeByLaunch : public Compute {
 public:
  void each(std::size_t count, const LoadImages& kernel) override { self().launch(count, kernel); }
  void each(std::size_t count, const Dense& kernel) override { self().launch(count, kernel); }
  void each(std::size_t count, const SoftmaxLoss& kernel) override { self().launch(count, kernel); }
  void each(std::size_t count, const WeightGradient& kernel) override { self().launch(count, kernel); }
  void each(std::size_t count, const RowSum& kernel) override { self().launch(count, kernel); }
  void each(std::size_t count, const DeltaBefore& kernel) override { self().launch(count, kernel); }
  void each(std::size_t count, const Descend& kernel) override { self().launch(count, kernel); }

 private:
  friend Derived;
  ComputeByLaunch() = default;
  Derived& self() { return static_cast<Derived&>(*this); }
};

/// What a software device offers a program. Memory is given back by whoever made these functions.
struct SoftwareDevice {
  void* stream = nullptr;
  std::function<std::byte*(std::size_t bytes)> allocate;
  std::function<std::byte*(std::size_t bytes)> allocate_pinned;
  std::function<void(const void* from, void* to, std::size_t bytes)> copy;
  std::function<void(std::function<void()> work)> launch;  ///< the work runs later, in its turn in the stream
  std::function<void()> finish;
};

std::unique_ptr<Compute> compute_in_software(SoftwareDevice device);

/// On a CUDA device, in a stream of its own. Throws std::runtime_error if there is none, or if Treering was built
/// without CUDA.
std::unique_ptr<Compute> compute_on_cuda(int ordinal);

}  // namespace fashion::gpu
