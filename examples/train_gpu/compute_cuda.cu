#include <cuda_runtime.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "examples/train_gpu/compute.h"

namespace fashion::gpu {
namespace {

template <class Kernel>
__global__ void for_each_index(std::size_t count, Kernel kernel) {
  const std::size_t index = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (index < count) kernel(index);
}

void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

class CudaCompute final : public ComputeByLaunch<CudaCompute> {
 public:
  explicit CudaCompute(int ordinal) : ordinal_(ordinal) {
    check(cudaSetDevice(ordinal), "cudaSetDevice");
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  }
  ~CudaCompute() override {
    cudaSetDevice(ordinal_);
    cudaStreamSynchronize(stream_);
    for (void* const memory : memory_) cudaFree(memory);
    for (void* const memory : pinned_) cudaFreeHost(memory);
    cudaStreamDestroy(stream_);
  }

  void* stream() const override { return stream_; }

  std::byte* allocate(std::size_t bytes) override {
    check(cudaSetDevice(ordinal_), "cudaSetDevice");
    void* memory = nullptr;
    check(cudaMalloc(&memory, bytes), "cudaMalloc");
    memory_.push_back(memory);
    return static_cast<std::byte*>(memory);
  }

  std::byte* allocate_pinned(std::size_t bytes) override {
    check(cudaSetDevice(ordinal_), "cudaSetDevice");
    void* memory = nullptr;
    check(cudaMallocHost(&memory, bytes), "cudaMallocHost");
    pinned_.push_back(memory);
    return static_cast<std::byte*>(memory);
  }

  void copy(const void* from, void* to, std::size_t bytes) override {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_), "cudaMemcpyAsync");
  }

  void finish() override { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

  template <class Kernel>
  void launch(std::size_t count, const Kernel& kernel) {
    if (count == 0) return;
    constexpr unsigned threads = 128;
    check(cudaSetDevice(ordinal_), "cudaSetDevice");
    for_each_index<<<static_cast<unsigned>((count + threads - 1) / threads), threads, 0, stream_>>>(count, kernel);
    check(cudaGetLastError(), "launch");
  }

 private:
  int ordinal_;
  cudaStream_t stream_ = nullptr;
  std::vector<void*> memory_;
  std::vector<void*> pinned_;
};

}  // namespace

std::unique_ptr<Compute> compute_on_cuda(int ordinal) { return std::make_unique<CudaCompute>(ordinal); }

}  // namespace fashion::gpu
