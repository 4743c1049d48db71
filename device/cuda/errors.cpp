#include "device/cuda/errors.h"

#include <cuda_runtime_api.h>

#include <string>

namespace treering::device {

namespace {

StatusCode kind_of(cudaError_t error) {
  switch (error) {
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorInitializationError:
    case cudaErrorSystemNotReady:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorDevicesUnavailable:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorStubLibrary:
    case cudaErrorMemoryAllocation:
    case cudaErrorNotSupported:
    case cudaErrorPeerAccessUnsupported:
    case cudaErrorMapBufferObjectFailed: return StatusCode::unavailable;
    case cudaErrorInvalidValue:
    case cudaErrorInvalidDevice:
    case cudaErrorInvalidResourceHandle:
    case cudaErrorStreamCaptureUnsupported:
    case cudaErrorStreamCaptureImplicit: return StatusCode::invalid_argument;
    default: return StatusCode::internal;
  }
}

}  // namespace

bool cuda_breaks_device(int code) {
  switch (static_cast<cudaError_t>(code)) {
    case cudaErrorCudartUnloading:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorContextIsDestroyed:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorMpsConnectionFailed:
    case cudaErrorExternalDevice:
    case cudaErrorUnknown: return true;
    default: return false;
  }
}

Status cuda_status(int code, std::string_view action) {
  const auto error = static_cast<cudaError_t>(code);
  if (error == cudaSuccess) return {};
  std::string message = "CUDA cannot ";
  message.append(action).append(": ").append(cudaGetErrorString(error));
  message.append(" (").append(cudaGetErrorName(error)).append(")");
  return {kind_of(error), std::move(message)};
}

}  // namespace treering::device
