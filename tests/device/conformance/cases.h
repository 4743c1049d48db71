#pragma once

#include <span>

#include "tests/device/conformance/bench.h"

namespace treering::device::conformance {

/// One thing that every kind of devices must do. `run` says what is wrong through the bench.
struct Case {
  const char* name;
  int processes;
  int devices;
  void (*run)(Bench& bench);
  bool misuses = false;  ///< does something against the rules, on purpose
};

/// Protocols whose results are right because of the calls that order work, and of each of them.
std::span<const Case> ordered_cases();
/// Rules of streams, events, counters and memory.
std::span<const Case> rule_cases();

}  // namespace treering::device::conformance
