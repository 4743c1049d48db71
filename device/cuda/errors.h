#pragma once

#include <string_view>

#include "treering/status.h"

namespace treering::device {

/// A code of the CUDA runtime (a cudaError_t) as a Status: "CUDA cannot <action>: ...". No device, no driver, no
/// memory or no support is `unavailable`, an argument that CUDA refuses `invalid_argument`, all else `internal`.
Status cuda_status(int code, std::string_view action);

/// Whether a device is of no use any more after this code: its context is corrupted, and every later call fails.
bool cuda_breaks_device(int code);

}  // namespace treering::device
