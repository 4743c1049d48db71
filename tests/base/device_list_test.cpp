#include "base/device_list.h"

#include <doctest/doctest.h>

#include "treering/status.h"

using namespace treering;

TEST_CASE("parse_devices: kinds, counts, seeds and lists") {
  CHECK(parse_devices("host").count == 1);
  CHECK(parse_devices("host:64").count == 64);
  CHECK(parse_devices("host:64").kind == "host");
  const DeviceList software = parse_devices("sim:8");
  CHECK(software.kind == "sim");
  CHECK(software.count == 8);
  CHECK(software.seed == 0);
  CHECK(parse_devices("sim:1:18446744073709551615").seed == 18446744073709551615U);
  CHECK(parse_devices("sim:64:17").seed == 17);
  const DeviceList all = parse_devices("cuda");
  CHECK(all.kind == "cuda");
  CHECK(all.count == 0);
  CHECK(all.ordinals.empty());
  const DeviceList some = parse_devices("cuda:2,0");
  CHECK(some.count == 2);
  CHECK(some.ordinals == std::vector<int>{2, 0});
}

TEST_CASE("parse_devices: everything else is refused, with what is accepted") {
  for (const char* text : {"",
                           ":",
                           "host:",
                           "host:0",
                           "host:65",
                           "host:-1",
                           "host:1 ",
                           "host:2:2",
                           "host: 2",
                           "sim",
                           "sim:",
                           "sim:0",
                           "sim:65",
                           "sim:2:",
                           "sim:2:x",
                           "sim:2:1:1",
                           "sim:2:18446744073709551616",
                           "sim:99999999999999999999999",
                           "cuda:",
                           "cuda:0,",
                           "cuda:,0",
                           "cuda:0,0",
                           "cuda:64",
                           "cuda:a",
                           "CUDA",
                           "gpu:2",
                           "2"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_devices(text), Error);
  }
  try {
    parse_devices("gpu:2");
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find("\"gpu:2\"") != std::string::npos);
    CHECK(std::string(error.what()).find("sim:N:SEED") != std::string::npos);
  }
}
