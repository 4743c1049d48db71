#pragma once

#include <string>
#include <vector>

namespace treering::device {

/// How CUDA orders the paths between the GPUs of this process: lower is better, and that is all that the numbers say.
struct PeerRanks {
  std::vector<std::string> bus_ids;  ///< per device
  std::vector<int> rank;             ///< n x n; -1: no access
  std::string problem;               ///< why nothing is known although there are devices; one line
};

/// Any thread. Makes no contexts; the first call may take long: the runtime looks for the driver. Empty without CUDA.
PeerRanks cuda_peer_ranks();

}  // namespace treering::device
