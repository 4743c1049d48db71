#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/transport/conformance.h"
#include "transport/inproc/job.h"

namespace treering::transport {

/// Runs `body` on one thread per rank and returns all problems, each with its rank in front.
inline conformance::Problems on_all_ranks(inproc::Job& job, int size,
                                          const std::function<conformance::Problems(Fabric&)>& body) {
  std::mutex mutex;
  conformance::Problems problems;
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      conformance::Problems mine;
      try {
        const std::unique_ptr<Fabric> fabric = job.fabric(rank);
        mine = body(*fabric);
      } catch (const std::exception& error) {
        mine.push_back(std::string("exception: ") + error.what());
      }
      const std::lock_guard lock(mutex);
      for (const std::string& problem : mine) problems.push_back("rank " + std::to_string(rank) + ": " + problem);
    });
  threads.clear();
  return problems;
}

}  // namespace treering::transport
