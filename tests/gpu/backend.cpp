#include "tests/gpu/backend.h"

#include "device/cuda/devices.h"
#include "device/host/host_device.h"
#include "device/sim/devices.h"

namespace treering::test {

std::vector<std::unique_ptr<device::Device>> open_backend(const std::string& name, int count) {
  std::vector<std::unique_ptr<device::Device>> devices;
  Status status(StatusCode::invalid_argument, "no backend is called " + name);
  if (name == "cuda") status = device::open_cuda_devices({}, devices);
  if (name == "sim") status = device::sim::open_devices({.count = count}, devices);
  if (name == "host") status = device::open_host_devices(count, devices);
  if (!status.ok()) throw Error(status);
  return devices;
}

std::string text_argument(int argc, const char* const* argv, const std::string& prefix, const std::string& otherwise) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.starts_with(prefix)) return argument.substr(prefix.size());
  }
  return otherwise;
}

void must(const device::Device& device, const Status& status) {
  if (!status.ok()) throw Error(status.code(), device.info().name + ": " + status.message());
}

}  // namespace treering::test
