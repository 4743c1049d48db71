#pragma once

#include <cstddef>

#include "device/kernels.h"

namespace treering::device {

/// `what` without what changes nothing: factors of exactly one, a divisor of one, and what is not for its type.
Reduction without_idle_factors(Reduction what);

/// Whether a reduction of so many sources, already without idle factors, is a copy of bits.
bool is_plain_copy(const Reduction& what, std::size_t sources);

}  // namespace treering::device
