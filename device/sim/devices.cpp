#include "device/sim/devices.h"

#include <utility>

#include "base/check.h"
#include "device/sim/sim_device.h"

namespace treering::device::sim {

namespace {

const SimDevice& as_sim(const Device& device) {
  const auto* const found = dynamic_cast<const SimDevice*>(&device);
  TREERING_CHECK(found != nullptr, "only a software device can be asked this");
  return *found;
}
SimDevice& as_sim(Device& device) { return const_cast<SimDevice&>(as_sim(std::as_const(device))); }

}  // namespace

Status open_devices(const Options& options, std::vector<std::unique_ptr<Device>>& devices) {
  constexpr int most = 64;
  if (options.count < 1 || options.count > most)
    return {StatusCode::unavailable, "a process has 1 to 64 software devices, not " + std::to_string(options.count)};
  const auto machine = std::make_shared<Machine>(options);
  devices.clear();
  for (int ordinal = 0; ordinal < options.count; ++ordinal)
    devices.push_back(std::make_unique<SimDevice>(machine, ordinal));
  return {};
}

Status launch(Device& device, Stream stream, std::function<void()> kernel) {
  return as_sim(device).launch(stream, std::move(kernel));
}

void inject(Device& device, Fault fault) {
  Machine& machine = as_sim(device).machine();
  const MutexLock lock(machine.mutex);
  machine.inject(device.info().ordinal, fault);
}

void set_capturing(Device& device, Stream stream, bool capturing) {
  Machine& machine = as_sim(device).machine();
  const MutexLock lock(machine.mutex);
  machine.set_capturing(device.info().ordinal, stream, capturing);
}

std::vector<std::string> misuses(const Device& device) {
  Machine& machine = as_sim(device).machine();
  const MutexLock lock(machine.mutex);
  return machine.misuses();
}

std::string dump(const Device& device) {
  Machine& machine = as_sim(device).machine();
  const MutexLock lock(machine.mutex);
  return machine.dump();
}

}  // namespace treering::device::sim
