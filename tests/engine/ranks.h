#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/device_list.h"
#include "engine/start.h"
#include "tests/bodies/small_config.h"
#include "transport/inproc/job.h"
#include "treering/treering.h"

namespace treering::test {

/// Knows no environment, says nothing.
inline Config small_config() {
  Config config = small_config(Config());
  config.log_level = "off";
  config.exit_timeout = std::chrono::milliseconds(0);
  return config;
}

/// Runs one engine per rank, each on a thread of its own, in this process; rethrows the first exception of any rank.
/// The fabric is rank 0's.
inline void run_ranks(
    int size, const std::function<Config(int rank)>& config_of, const std::function<void(Engine&)>& body,
    const std::function<HostView(int rank)>& host_of = [](int) { return HostView(); }) {
  std::vector<int> devices;
  for (int rank = 0; rank < size; ++rank) devices.push_back(parse_devices(config_of(rank).devices).count);
  auto fabrics = transport::inproc::make_fabrics(size, fabric_options(config_of(0)), devices);
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < fabrics.size(); ++rank) {
    threads.emplace_back([&, rank] {
      try {
        const int number = static_cast<int>(rank);
        Engine engine(start_over(config_of(number), std::move(fabrics[rank]), host_of(number)));
        body(engine);
      } catch (...) {
        failures[rank] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

inline void run_ranks(int size, const Config& config, const std::function<void(Engine&)>& body) {
  run_ranks(size, [&](int) { return config; }, body);
}

}  // namespace treering::test
