// Whole engines whose ranks drive several devices each: members are (rank, device).

#include <doctest/doctest.h>

#include "base/device_list.h"
#include "tests/bodies/devices.h"
#include "tests/engine/machines.h"
#include "tests/engine/ranks.h"

using namespace treering;
using namespace treering::test;

namespace {

struct DeviceJob {
  std::vector<int> devices;  ///< per rank
  std::vector<int> nodes;
};

const std::vector<DeviceJob> jobs{
    {{2}, {0}},
    {{2, 2}, {0, 0}},
    {{3, 1}, {0, 0}},
    {{2, 1}, {0, 1}},
    {{1, 3}, {0, 1}},
    {{2, 2}, {0, 1}},
    {{1, 3, 2}, {0, 0, 1}},
    {{2, 2, 2, 2}, {0, 0, 1, 1}},
    {{3, 1, 1}, {0, 1, 0}},
    {{1, 2, 1, 2}, {0, 1, 1, 2}},
};

template <class Change, class Body>
void on_device_jobs(Change change, Body body) {
  for (const DeviceJob& job : jobs) {
    CAPTURE(job.devices);
    CAPTURE(job.nodes);
    run_ranks(
        static_cast<int>(job.devices.size()),
        [&](int rank) {
          Config config = small_config();
          config.node_map = job.nodes;
          config.devices = "host:" + std::to_string(job.devices[static_cast<std::size_t>(rank)]);
          change(config);
          return config;
        },
        [&](Engine& engine) {
          CHECK(engine.devices() == job.devices[static_cast<std::size_t>(engine.rank())]);
          body(engine);
        });
  }
}

}  // namespace

TEST_CASE("devices: every device of every rank takes part, on every path") {
  std::uint64_t mapped = 0;
  on_device_jobs([](Config&) {},
                 [&](Engine& engine) {
                   several_devices(engine);
                   if (engine.rank() == 0) mapped += engine.counters().mapped_batches;
                 });
  CHECK(mapped > 0);
}

TEST_CASE("devices: defaults, deterministic mode, one lane, small slots") {
  on_device_jobs(
      [](Config& config) {
        config = [&] {
          Config plain;
          plain.log_level = "off";
          plain.exit_timeout = std::chrono::milliseconds(0);
          plain.node_map = config.node_map;
          plain.devices = config.devices;
          return plain;
        }();
      },
      [](Engine& engine) { several_devices(engine); });
  on_device_jobs([](Config& config) { config.deterministic = true; },
                 [](Engine& engine) { device_bits(engine, 30'000); });
  on_device_jobs(
      [](Config& config) {
        config.lanes = 1;
        config.one_shot_limit = 0;
        config.pack_limit = 0;
      },
      [](Engine& engine) { device_allreduces<float>(engine, ReduceOp::sum, true, 5); });
}

TEST_CASE("devices: trees between members of few ranks") {
  Config config = small_config();
  config.devices = "host:8";
  run_ranks(3, config, [](Engine& engine) {
    CHECK(engine.members() == 24);
    CHECK(engine.plan().find("two-level trees between 24 members") != std::string::npos);
    device_allreduces<float>(engine, ReduceOp::average, false, 9);
    device_broadcasts(engine, 5000);
  });
}

TEST_CASE("devices: what the variable may say") {
  CHECK(parse_devices("host").count == 1);
  CHECK(parse_devices("host:2").count == 2);
  CHECK(parse_devices("host:64").count == 64);
  for (const char* text : {"", "host:", "host:0", "host:65", "host:-1", "host:1 ", "gpu:2", "2", "host:2:2", "host: 2"})
    CHECK_THROWS_AS(parse_devices(text), Error);
}
