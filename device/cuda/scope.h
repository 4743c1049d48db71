#pragma once

#include "device/cuda/driver.h"

namespace treering::device {

/// While it lives, the calling thread works on one device, and may do what other threads' captures of graphs forbid.
/// Afterwards its device and its capture mode are what they were, to the bit: the context is pushed and popped, because
/// setting the device back by its number would make a context on it where there was none.
class CudaScope {
 public:
  CudaScope(const CudaDriver& driver, void* context);
  ~CudaScope();
  CudaScope(const CudaScope&) = delete;
  CudaScope& operator=(const CudaScope&) = delete;

  /// A cudaError_t; not 0: the thread does not work on the device.
  int code() const { return code_; }

 private:
  const CudaDriver& driver_;
  int code_;
  int capture_mode_;  // a cudaStreamCaptureMode
};

}  // namespace treering::device
