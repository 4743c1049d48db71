#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device/device.h"

namespace treering::device::conformance {

using Devices = std::vector<std::unique_ptr<Device>>;

/// What the suite has to know of a kind of devices.
struct Backend {
  std::string name;
  /// The devices of one process, opened anew for each run. Fewer than asked for if there are no more.
  std::function<Devices(int count, std::uint64_t seed)> open;
  /// Several owners of devices in one process may stand for several processes, and memory can be exported.
  bool processes = false;
  /// How long devices may need while nothing moves that the host could see; none: software, which moves when asked.
  std::chrono::milliseconds patience{0};
  /// Seeds to run each case with.
  std::uint64_t seeds = 1;
  /// What was done against the rules, in words.
  std::function<std::vector<std::string>(const Device&)> misuses;
};

/// Where CUDA is run there is one more, see tests/gpu.
Backend host_backend();
Backend sim_backend();

}  // namespace treering::device::conformance
