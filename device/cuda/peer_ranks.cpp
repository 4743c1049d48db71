#include "device/cuda/peer_ranks.h"

#include <cuda_runtime_api.h>

#include <array>

namespace treering::device {

namespace {

/// -1 where one cannot reach the other, -2 where the question fails.
int rank_between(int from, int to) {
  int access = 0, rank = 0;
  if (cudaDeviceCanAccessPeer(&access, from, to) != cudaSuccess) return -2;
  if (access == 0) return -1;
  return cudaDeviceGetP2PAttribute(&rank, cudaDevP2PAttrPerformanceRank, from, to) == cudaSuccess && rank >= 0 ? rank
                                                                                                               : -2;
}

}  // namespace

PeerRanks cuda_peer_ranks() {
  PeerRanks ranks;
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());  // no driver is no news; others have asked for it
    return ranks;
  }
  for (int device = 0; device < devices; ++device) {
    std::array<char, 32> bus{};
    if (cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), device) != cudaSuccess) bus[0] = '\0';
    ranks.bus_ids.emplace_back(bus.data());
  }
  for (int from = 0; from < devices && ranks.problem.empty(); ++from)
    for (int to = 0; to < devices; ++to) {
      ranks.rank.push_back(from == to ? 0 : rank_between(from, to));
      if (ranks.rank.back() == -2)
        ranks.problem = std::string("CUDA does not say how its devices reach each other: ") +
                        cudaGetErrorString(cudaGetLastError());
    }
  if (!ranks.problem.empty()) ranks.rank.clear();
  return ranks;
}

}  // namespace treering::device
