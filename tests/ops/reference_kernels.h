#pragma once

#include "device/kernels.h"

namespace treering::ops::test {

/// Element by element, as slow and plain as possible: the rules of treering/types.h.
const device::HostKernels& reference_kernels();

float to_float(Float16 half);
float to_float(BFloat16 half);
Float16 to_float16(float value);
BFloat16 to_bfloat16(float value);

}  // namespace treering::ops::test
