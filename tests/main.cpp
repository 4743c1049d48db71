// Main of the unit tests. `--watchdog=SECONDS`: a hanging test case is named.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "tests/watchdog.h"

int main(int argc, char** argv) {
  using namespace treering::testing;
  start_watchdog(std::chrono::seconds(argument(argc, argv, "--watchdog=", 0)), "unit test");
  doctest::Context context(argc, argv);
  const int result = context.run();
  stop_watchdog();
  return result;
}
