#pragma once

#include <memory>

#include "transport/device_collectives.h"

namespace treering::transport {

/// NCCL, with communicators that never block. Its devices are CUDA's. `unavailable` if Treering was built without it,
/// or runs with another version than it was built with.
///
/// Floating minimum and maximum drop NaN, as NCCL's own do.
Status open_nccl(std::unique_ptr<DeviceCollectives>& library);

}  // namespace treering::transport
