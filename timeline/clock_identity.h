#pragma once

#include <string>

namespace treering::timeline {

/// Equal for processes that read the same CLOCK_MONOTONIC: one boot of one kernel, one time namespace. Empty if that
/// cannot be told.
std::string clock_identity();

}  // namespace treering::timeline
