#include <array>

#include "device/host/host_kernels.h"

namespace treering::device {

namespace {

constexpr HostKernels baseline = {"baseline", reduce_with<baseline_kernels>, copy_with<baseline_kernels>};
constexpr HostKernels avx2 = {"avx2", reduce_with<avx2_kernels>, copy_with<avx2_kernels>};
constexpr HostKernels avx512 = {"avx512", reduce_with<avx512_kernels>, copy_with<avx512_kernels>};

constexpr std::array<const HostKernels*, 3> all = {&baseline, &avx2, &avx512};

std::size_t count_supported() {
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c");
  const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return has_avx512 ? 3 : (has_avx2 ? 2 : 1);
}

}  // namespace

std::span<const HostKernels* const> supported_levels() {
  static const std::size_t count = count_supported();
  return std::span(all).first(count);
}

}  // namespace treering::device
