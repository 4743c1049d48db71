#include "tests/device/conformance/backend.h"

#include "device/host/host_device.h"
#include "device/sim/devices.h"

namespace treering::device::conformance {

Backend host_backend() {
  Backend backend;
  backend.name = "host";
  backend.open = [](int count, std::uint64_t) {
    Devices devices;
    static_cast<void>(open_host_devices(count, devices));
    return devices;
  };
  backend.misuses = [](const Device&) { return std::vector<std::string>(); };
  return backend;
}

Backend sim_backend() {
  Backend backend;
  backend.name = "sim";
  backend.open = [](int count, std::uint64_t seed) {
    Devices devices;
    sim::Options options;
    options.count = count;
    options.seed = seed;
    static_cast<void>(sim::open_devices(options, devices));
    return devices;
  };
  backend.processes = true;
  backend.seeds = 200;
  backend.misuses = sim::misuses;
  return backend;
}

}  // namespace treering::device::conformance
