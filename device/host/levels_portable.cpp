#include <array>

#include "device/host/host_kernels.h"

namespace treering::device {

namespace {

constexpr HostKernels baseline = {"baseline", reduce_with<baseline_kernels>, copy_with<baseline_kernels>};
constexpr std::array<const HostKernels*, 1> all = {&baseline};

}  // namespace

std::span<const HostKernels* const> supported_levels() { return all; }

}  // namespace treering::device
