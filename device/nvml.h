#pragma once

#include "device/gpu_survey.h"

namespace treering::device {

/// Asks NVIDIA's management library, which is loaded for the length of the call, so that no build depends on it.
/// Without the library the survey is empty and has no problem. May take as long as the driver takes. Never throws for
/// what the driver says. Any thread.
GpuSurvey survey_by_nvml();

}  // namespace treering::device
