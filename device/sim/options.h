#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace treering::device::sim {

/// What the software devices of one process are like.
struct Options {
  int count = 1;
  std::uint64_t seed = 0;  ///< of every choice that hardware would leave to chance
  int resident = 1;        ///< collectives that a device can run at once; each holds its place until done
  std::size_t memory = std::size_t{4} << 30;  ///< bytes of one device
  bool peers = true;                          ///< false: no device reaches another
  bool exports = true;                     ///< false: memory of other processes cannot be mapped, as in some containers
  std::vector<std::pair<int, int>> apart;  ///< pairs of devices that do not reach each other
};

enum class FaultKind : std::uint8_t {
  launch,  ///< the call fails, nothing is enqueued, the device is as before
  broken,  ///< the device breaks when the work should run, and stays broken
  hang,    ///< the work never ends; what comes after it in its stream never runs
};

/// Hits one piece of work of a device: kernels and copies, counted from 0 as they are enqueued.
struct Fault {
  FaultKind kind = FaultKind::launch;
  std::uint64_t at = 0;
};

}  // namespace treering::device::sim
