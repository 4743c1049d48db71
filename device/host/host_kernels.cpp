#include "device/host/host_kernels.h"

namespace treering::device {

std::span<const HostKernels* const> all_host_kernels() { return supported_levels(); }

const HostKernels& host_kernels() { return *supported_levels().back(); }

}  // namespace treering::device
