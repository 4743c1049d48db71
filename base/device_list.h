#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace treering {

/// What a process drives: devices of one kind. On "host" they share the process's memory.
struct DeviceList {
  std::string kind = "host";  ///< host, sim or cuda
  int count = 1;              ///< 0: all that there are (cuda only)
  std::vector<int> ordinals;  ///< cuda: which ones; empty if all
  std::uint64_t seed = 0;     ///< sim: of the order in which work runs
};

inline constexpr int most_devices = 64;

/// "host", "host:2", "sim:8", "sim:8:17" (seed 17), "cuda", "cuda:0,2". Throws Error (invalid_argument) that quotes the
/// text and says what is accepted.
DeviceList parse_devices(std::string_view text);

}  // namespace treering
