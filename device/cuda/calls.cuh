#pragma once

// How a CudaDevice calls CUDA. Private to its sources.

#include <cuda_runtime_api.h>

#include "device/cuda/cuda_device.h"
#include "device/cuda/errors.h"

namespace treering::device {

inline cudaStream_t native(Stream stream) { return static_cast<cudaStream_t>(stream.handle); }
inline cudaEvent_t native(Event event) { return static_cast<cudaEvent_t>(event.handle); }

template <class Call>
Status CudaDevice::on_device(std::string_view action, Call call) {
  if (broken_.load(std::memory_order_acquire)) return error();
  const CudaScope scope(parts_.driver, parts_.context);
  if (scope.code() != cudaSuccess) return judged(scope.code(), "work on its device");
  return judged(call(), action);
}

template <class Call>
Status CudaDevice::launch(Stream stream, Call call) {
  if (broken_.load(std::memory_order_acquire)) return error();
  const CudaScope scope(parts_.driver, parts_.context);
  if (scope.code() != cudaSuccess) return judged(scope.code(), "work on its device");
  if (Status refused = refuse_capture(stream); !refused.ok()) return refused;
  return judged(call());
}

template <class Call>
Status CudaDevice::enqueue(Stream stream, std::string_view action, Call call) {
  return launch(stream, [&] {
    const int code = call();
    return CudaLaunch{cuda_status(code, action), code};
  });
}

}  // namespace treering::device
