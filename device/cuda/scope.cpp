#include "device/cuda/scope.h"

#include <cuda_runtime_api.h>

namespace treering::device {

namespace {

/// Exchanges the thread's capture mode with `mode`; says whether that worked.
bool exchange(int& mode) {
  auto exchanged = static_cast<cudaStreamCaptureMode>(mode);
  const bool worked = cudaThreadExchangeStreamCaptureMode(&exchanged) == cudaSuccess;
  mode = exchanged;
  return worked;
}

}  // namespace

CudaScope::CudaScope(const CudaDriver& driver, void* context)
    : driver_(driver), code_(driver.push_context(context)), capture_mode_(cudaStreamCaptureModeRelaxed) {
  if (code_ == cudaSuccess && !exchange(capture_mode_)) {
    driver_.pop_context();
    code_ = cudaGetLastError();
    if (code_ == cudaSuccess) code_ = cudaErrorUnknown;
  }
}

CudaScope::~CudaScope() {
  if (code_ != cudaSuccess) return;
  exchange(capture_mode_);
  driver_.pop_context();
}

}  // namespace treering::device
