#pragma once

#include "device/device.h"

namespace treering::test {

/// The first device of the backend that the command line names. It lives as long as main runs the tests.
device::Device& device_under_test();

}  // namespace treering::test
