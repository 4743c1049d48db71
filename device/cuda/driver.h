#pragma once

#include <cstdint>

#include "treering/status.h"

namespace treering::device {

/// What we need of the CUDA driver. Its functions are found through the runtime: libcuda is never linked, because the
/// name of its stub does not resolve where programs run. Plain values; every function is thread-safe.
class CudaDriver {
 public:
  /// `unavailable` if the driver is too old for one of the functions.
  static Status find(CudaDriver& driver);

  // Codes are those of the runtime (cudaError_t); 0 is success.

  /// The primary context of a device, which the runtime uses too. It is never given back: it lives as long as the
  /// process, as the runtime's own use of it does.
  int retain_context(int ordinal, void*& context) const;
  int push_context(void* context) const;
  int pop_context() const;
  /// Whether write_value and wait_value work on the device.
  int can_use_values(int ordinal, bool& can) const;
  /// After all earlier work of the stream, with a barrier before the write.
  int write_value(void* stream, std::uint64_t* address, std::uint64_t value) const;
  /// Until *address - value, taken as a signed number, is not negative.
  int wait_value(void* stream, const std::uint64_t* address, std::uint64_t value) const;

 private:
  using Function = void (*)();
  Function device_get_ = nullptr;
  Function device_get_attribute_ = nullptr;
  Function primary_retain_ = nullptr;
  Function push_ = nullptr;
  Function pop_ = nullptr;
  Function write_value_ = nullptr;
  Function wait_value_ = nullptr;
};

}  // namespace treering::device
