#include "device/cuda/availability.h"

#include <cuda_runtime_api.h>

#include "device/cuda/errors.h"

namespace treering::device {

CudaAvailability cuda_availability() {
  CudaAvailability found;
  found.compiled_version = CUDART_VERSION;
  Status status = cuda_status(cudaRuntimeGetVersion(&found.runtime_version), "tell its version");
  if (status.ok()) status = cuda_status(cudaGetDeviceCount(&found.devices), "count devices");
  if (!status.ok()) {
    found.devices = 0;
    found.reason = status.message();
  } else if (found.devices == 0) {
    found.reason = "CUDA finds no device";
  }
  return found;
}

}  // namespace treering::device
