#include "device/cuda/devices.h"

namespace treering::device {

Status open_cuda_devices(std::vector<int>, std::vector<std::unique_ptr<Device>>&) {
  return {StatusCode::unavailable, "Treering was built without CUDA"};
}

}  // namespace treering::device
