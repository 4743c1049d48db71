#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device.h"

namespace treering::test {

/// The devices of a backend: "cuda", "sim" or "host", of the latter two `count`. Throws Error if there are none.
std::vector<std::unique_ptr<device::Device>> open_backend(const std::string& name, int count);

/// What follows `prefix` ("--backend=") among the arguments, or `otherwise`.
std::string text_argument(int argc, const char* const* argv, const std::string& prefix, const std::string& otherwise);

/// Throws Error if the status is not ok.
void must(const device::Device& device, const Status& status);

}  // namespace treering::test
