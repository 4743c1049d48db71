#include <doctest/doctest.h>

#include "tests/device/conformance/cases.h"

using namespace treering::device;
using namespace treering::device::conformance;

namespace {

bool applies(const Backend& backend, const Case& one) {
  if (one.processes > 1 && !backend.processes) return false;
  return static_cast<int>(backend.open(one.devices, 0).size()) >= one.devices;
}

/// What is wrong with one run; the number of calls that order work comes back too.
std::string run(const Backend& backend, const Case& one, std::uint64_t seed, int omitted, int* calls = nullptr) {
  Bench bench(backend, one.processes, one.devices, seed, omitted);
  one.run(bench);
  if (!one.misuses) bench.end();
  if (calls != nullptr) *calls = bench.ordering_calls();
  return bench.wrong();
}

void check_all(const Backend& backend, std::span<const Case> cases) {
  for (const Case& one : cases) {
    if (!applies(backend, one)) continue;
    for (std::uint64_t seed = 0; seed < backend.seeds; ++seed) {
      CAPTURE(backend.name);
      CAPTURE(one.name);
      CAPTURE(seed);
      CHECK(run(backend, one, seed, Omission::none) == "");
    }
  }
}

/// The first seed at which leaving out that call goes wrong, or the number of seeds.
std::uint64_t first_to_notice(const Backend& backend, const Case& one, int omitted) {
  for (std::uint64_t seed = 0; seed < backend.seeds; ++seed)
    if (!run(backend, one, seed, omitted).empty()) return seed;
  return backend.seeds;
}

}  // namespace

TEST_CASE("host devices keep the rules") {
  check_all(host_backend(), rule_cases());
  check_all(host_backend(), ordered_cases());
}

TEST_CASE("software devices keep the rules, whatever order chance gives") {
  check_all(sim_backend(), rule_cases());
  check_all(sim_backend(), ordered_cases());
}

TEST_CASE("software devices notice every call that orders work and is left out") {
  const Backend backend = sim_backend();
  for (const Case& one : ordered_cases()) {
    int calls = 0;
    CHECK(run(backend, one, 0, Omission::none, &calls) == "");
    CHECK(calls > 0);
    for (int omitted = 0; omitted < calls; ++omitted) {
      CAPTURE(one.name);
      CAPTURE(omitted);
      CHECK(first_to_notice(backend, one, omitted) < backend.seeds);
    }
  }
}
