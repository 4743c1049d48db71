#include "device/cuda/driver.h"

#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>

#include <string>

#include "device/cuda/errors.h"

namespace treering::device {

namespace {

/// The version of CUDA in which the function has the signature that we call it by.
cudaError_t look_up(const char* name, unsigned version, void** address) {
  cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  return cudaGetDriverEntryPointByVersion(name, address, version, cudaEnableDefault, &result);
#else
  static_cast<void>(version);
  return cudaGetDriverEntryPoint(name, address, cudaEnableDefault, &result);
#endif
}

template <class Function>
Status find_one(const char* name, unsigned version, Function& function) {
  void* address = nullptr;
  const cudaError_t error = look_up(name, version, &address);
  if (error == cudaSuccess && address != nullptr) {
    function = reinterpret_cast<Function>(address);
    return {};
  }
  static_cast<void>(cudaGetLastError());
  if (error != cudaSuccess) return cuda_status(error, std::string("look up ") + name);
  return {StatusCode::unavailable, std::string("the CUDA driver has no ") + name + "; a newer driver is needed"};
}

/// Codes of driver and runtime have the same numbers.
template <class Signature, class Function, class... Arguments>
int call(Function function, Arguments... arguments) {
  return static_cast<int>(reinterpret_cast<Signature>(function)(arguments...));
}

int device_of(void (*device_get)(), int ordinal, CUdevice& device) {
  return call<PFN_cuDeviceGet_v2000>(device_get, &device, ordinal);
}

CUdeviceptr address_of(const std::uint64_t* address) { return reinterpret_cast<CUdeviceptr>(address); }

}  // namespace

Status CudaDriver::find(CudaDriver& driver) {
  Status status = find_one("cuDeviceGet", 2000, driver.device_get_);
  if (status.ok()) status = find_one("cuDeviceGetAttribute", 2000, driver.device_get_attribute_);
  if (status.ok()) status = find_one("cuDevicePrimaryCtxRetain", 7000, driver.primary_retain_);
  if (status.ok()) status = find_one("cuCtxPushCurrent", 4000, driver.push_);
  if (status.ok()) status = find_one("cuCtxPopCurrent", 4000, driver.pop_);
  if (status.ok()) status = find_one("cuStreamWriteValue64", 11070, driver.write_value_);
  if (status.ok()) status = find_one("cuStreamWaitValue64", 11070, driver.wait_value_);
  return status;
}

int CudaDriver::retain_context(int ordinal, void*& context) const {
  CUdevice device = 0;
  if (const int code = device_of(device_get_, ordinal, device); code != 0) return code;
  CUcontext found = nullptr;
  const int code = call<PFN_cuDevicePrimaryCtxRetain_v7000>(primary_retain_, &found, device);
  context = found;
  return code;
}

int CudaDriver::push_context(void* context) const {
  return call<PFN_cuCtxPushCurrent_v4000>(push_, static_cast<CUcontext>(context));
}

int CudaDriver::pop_context() const {
  CUcontext popped = nullptr;
  return call<PFN_cuCtxPopCurrent_v4000>(pop_, &popped);
}

int CudaDriver::can_use_values(int ordinal, bool& can) const {
  CUdevice device = 0;
  if (const int code = device_of(device_get_, ordinal, device); code != 0) return code;
  int found = 0;
  const int code = call<PFN_cuDeviceGetAttribute_v2000>(device_get_attribute_, &found,
                                                        CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, device);
  can = found != 0;
  return code;
}

int CudaDriver::write_value(void* stream, std::uint64_t* address, std::uint64_t value) const {
  return call<PFN_cuStreamWriteValue64_v11070>(write_value_, static_cast<CUstream>(stream), address_of(address), value,
                                               unsigned{CU_STREAM_WRITE_VALUE_DEFAULT});
}

int CudaDriver::wait_value(void* stream, const std::uint64_t* address, std::uint64_t value) const {
  return call<PFN_cuStreamWaitValue64_v11070>(wait_value_, static_cast<CUstream>(stream), address_of(address), value,
                                              unsigned{CU_STREAM_WAIT_VALUE_GEQ});
}

}  // namespace treering::device
