#include "device/cuda/availability.h"

namespace treering::device {

CudaAvailability cuda_availability() { return {0, 0, 0, "Treering was built without CUDA"}; }

}  // namespace treering::device
