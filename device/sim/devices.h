#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device/device.h"
#include "device/sim/options.h"

namespace treering::device::sim {

/// The software devices of one process (or of one rank, where ranks are threads), ordinals 0 to count - 1.
/// `unavailable` unless 1 <= count <= 64.
Status open_devices(const Options& options, std::vector<std::unique_ptr<Device>>& devices);

/// Runs a function as a kernel: later, in the order of the stream, as one piece; no call of the device inside. It may
/// follow the addresses that the device reaches.
Status launch(Device& device, Stream stream, std::function<void()> kernel);

// What a test does to a device that `open_devices` gave, and asks it.

void inject(Device& device, Fault fault);
void set_capturing(Device& device, Stream stream, bool capturing);
/// What was done against the rules on any device of its process, in words; at most 64 are kept.
std::vector<std::string> misuses(const Device& device);
/// Every stream of its process with work left, and the work that it stands at.
std::string dump(const Device& device);

}  // namespace treering::device::sim
