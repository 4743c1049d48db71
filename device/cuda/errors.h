#pragma once

#include <string_view>

#include "treering/status.h"

namespace treering::device {

/// A code of the CUDA runtime (a cudaError_t) as a Status: "CUDA cannot <action>: ...". No device or no driver is
/// `unavailable`, an argument that CUDA refuses `invalid_argument`, all else `internal`.
Status cuda_status(int code, std::string_view action);

}  // namespace treering::device
