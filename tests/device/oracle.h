#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/kernels.h"

namespace treering::device::tests {

/// The rules of treering/types.h, one element at a time and with other means than the kernels: halves are decoded and
/// rounded in float64 arithmetic, float32 steps are float64 steps rounded afterwards (which is exact, because 53 bits
/// are more than twice 24 and two).
void reduce_by_the_rules(const Reduction& what, const std::vector<const std::byte*>& sources,
                         const std::vector<std::byte*>& destinations, std::size_t bytes);

double value_of_half(std::uint16_t bits);
double value_of_bfloat(std::uint16_t bits);
/// To nearest even; `value` must be a float32.
std::uint16_t half_nearest(double value);
std::uint16_t bfloat_nearest(double value);

}  // namespace treering::device::tests
