// Main of the tests that run on any device:
//   --backend=cuda|sim|host   on which (host)
//   --watchdog=SECONDS        a hanging test case is named
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>

#include "tests/gpu/backend.h"
#include "tests/gpu/device_under_test.h"
#include "tests/watchdog.h"

namespace treering::test {
namespace {

device::Device*& current() {
  static device::Device* device = nullptr;
  return device;
}

int run(int argc, char** argv) {
  const std::string name = text_argument(argc, argv, "--backend=", "host");
  const auto devices = open_backend(name, 1);
  current() = devices.front().get();
  std::printf("on %s\n", devices.front()->info().name.c_str());
  must(*current(), current()->preload());
  doctest::Context context(argc, argv);
  return context.run();
}

}  // namespace

device::Device& device_under_test() { return *current(); }

}  // namespace treering::test

int main(int argc, char** argv) {
  using namespace treering;
  testing::start_watchdog(std::chrono::seconds(testing::argument(argc, argv, "--watchdog=", 0)), "device test");
  int result = 1;
  try {
    result = test::run(argc, argv);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  testing::stop_watchdog();
  return result;
}
