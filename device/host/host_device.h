#pragma once

#include <memory>
#include <vector>

#include "device/device.h"

namespace treering::device {

/// Devices made of the host: every call does its work at once, on the calling thread, unless its stream stands at an
/// event or a counter; then it is done by the first later call that finds the way free. The plainest device, to compare
/// others with. Memory cannot be exported. One thread.
Status open_host_devices(int count, std::vector<std::unique_ptr<Device>>& devices);

}  // namespace treering::device
