#pragma once

#include <string>

namespace treering::device {

/// What this build and this machine offer. Versions as CUDA counts them (13000 is 13.0).
struct CudaAvailability {
  int compiled_version = 0;  ///< of the runtime's headers; 0 if Treering was built without CUDA
  int runtime_version = 0;   ///< of the runtime that is linked
  int devices = 0;
  std::string reason;  ///< why there are no devices, for people; empty if there are
};

/// Any thread. The first call may take long: the runtime looks for the driver.
CudaAvailability cuda_availability();

}  // namespace treering::device
