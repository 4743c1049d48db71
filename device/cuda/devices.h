#pragma once

#include <memory>
#include <vector>

#include "device/device.h"

namespace treering::device {

/// The CUDA devices with these numbers, in this order (empty: all that this process sees), ready for use. A device is
/// of use only where 64-bit stream memory operations work. Takes a second or so, because contexts are made.
/// `unavailable` if there is no CUDA, no such device, or a driver that is too old.
Status open_cuda_devices(std::vector<int> ordinals, std::vector<std::unique_ptr<Device>>& devices);

}  // namespace treering::device
