// The suite that every kind of devices passes, on CUDA devices. Cases that need more devices than there are, or other
// processes, are left out and named; several processes are the business of ipc_tree.

#include "tests/device/conformance/cases.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "device/cuda/availability.h"
#include "device/cuda/devices.h"
#include "tests/gpu/device_under_test.h"

using namespace treering;
using namespace treering::device;
using namespace treering::device::conformance;

namespace {

Backend cuda_backend() {
  Backend backend;
  backend.name = "cuda";
  backend.open = [](int count, std::uint64_t) {
    Devices devices;
    std::vector<int> ordinals(static_cast<std::size_t>(std::min(count, cuda_availability().devices)));
    std::iota(ordinals.begin(), ordinals.end(), 0);
    static_cast<void>(open_cuda_devices(ordinals, devices));
    return devices;
  };
  backend.patience = std::chrono::seconds(5);
  backend.misuses = [](const Device&) { return std::vector<std::string>(); };
  return backend;
}

void check_all(const Backend& backend, std::span<const Case> cases) {
  for (const Case& one : cases) {
    if (one.processes > 1 || one.devices > cuda_availability().devices) {
      MESSAGE("not here: " << one.name);
      continue;
    }
    Bench bench(backend, one.processes, one.devices, 1, Omission::none);
    one.run(bench);
    CAPTURE(one.name);
    CHECK(bench.wrong() == "");
  }
}

}  // namespace

TEST_CASE("conformance: CUDA devices keep the rules") {
  if (test::device_under_test().info().kind != DeviceKind::cuda) return;
  check_all(cuda_backend(), rule_cases());
  check_all(cuda_backend(), ordered_cases());
}
