#include "device/cuda/devices.h"

#include <cuda_runtime_api.h>

#include <array>
#include <numeric>

#include "device/cuda/availability.h"
#include "device/cuda/cuda_device.h"
#include "device/cuda/errors.h"

namespace treering::device {

namespace {

Status judged(cudaError_t error, const char* action) {
  if (error != cudaSuccess) static_cast<void>(cudaGetLastError());
  return cuda_status(error, action);
}

std::string hexadecimal(const cudaUUID_t& uuid) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const char byte : uuid.bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += digits[value >> 4];
    text += digits[value & 15];
  }
  return text;
}

/// The bus id tells where a device is, the other number also which part of a device that is cut into instances.
Status describe(int ordinal, CudaDevice::Parts& parts) {
  std::array<char, 32> bus_id{};
  cudaDeviceProp properties{};
  Status status =
      judged(cudaDeviceGetPCIBusId(bus_id.data(), static_cast<int>(bus_id.size()), ordinal), "tell where a device is");
  if (status.ok()) status = judged(cudaGetDeviceProperties(&properties, ordinal), "describe a device");
  if (!status.ok()) return status;
  parts.bus_id = bus_id.data();
  parts.info = {DeviceKind::cuda, ordinal, parts.bus_id + " " + hexadecimal(properties.uuid), properties.name};
  return {};
}

Status open(int ordinal, const CudaDriver& driver, CudaDevice::Parts& parts) {
  parts.driver = driver;
  if (Status status = describe(ordinal, parts); !status.ok()) return status;
  bool can_use_values = false;
  Status status = judged(cudaInitDevice(ordinal, 0, 0), "initialise a device");
  if (status.ok()) status = cuda_status(driver.can_use_values(ordinal, can_use_values), "describe a device");
  if (status.ok()) status = cuda_status(driver.retain_context(ordinal, parts.context), "make a context");
  if (status.ok() && !can_use_values)
    return {StatusCode::unavailable, parts.info.name + " has no 64-bit stream memory operations"};
  return status;
}

}  // namespace

Status open_cuda_devices(std::vector<int> ordinals, std::vector<std::unique_ptr<Device>>& devices) {
  const CudaAvailability available = cuda_availability();
  if (available.devices == 0) return {StatusCode::unavailable, available.reason};
  if (ordinals.empty()) {
    ordinals.resize(static_cast<std::size_t>(available.devices));
    std::iota(ordinals.begin(), ordinals.end(), 0);
  }
  CudaDriver driver;
  if (Status status = CudaDriver::find(driver); !status.ok()) return status;
  std::vector<std::unique_ptr<Device>> opened;
  const auto allocations = std::make_shared<CudaAllocations>();
  for (const int ordinal : ordinals) {
    if (ordinal < 0 || ordinal >= available.devices)
      return {StatusCode::unavailable, "there is no CUDA device " + std::to_string(ordinal) + ", only " +
                                           std::to_string(available.devices) + " in all"};
    CudaDevice::Parts parts;
    if (Status status = open(ordinal, driver, parts); !status.ok()) return status;
    parts.allocations = allocations;
    opened.push_back(std::make_unique<CudaDevice>(std::move(parts)));
  }
  devices = std::move(opened);
  return {};
}

}  // namespace treering::device
