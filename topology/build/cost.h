#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "topology/build/forest.h"

namespace treering::topology {

enum class Fabric { nvlink, xgmi, pcie, shared_memory, network };

/// What time a plan takes depends on, besides its links. The presets are order-of-magnitude figures for planning before
/// anything was measured; measurement replaces them field by field.
struct CostConstants {
  double hop_seconds = 0;              ///< from the end of a transfer to the start of the next one that needs it
  double launch_seconds = 0;           ///< a member spends per instruction, one after the other
  double reduce_bytes_per_second = 0;  ///< bytes received and added by one member
  double unit_bytes_per_second = 0;    ///< of one unit of capacity, where the graph does not say
  std::uint64_t least_chunk_bytes = 64 * 1024;
};

CostConstants default_constants(Fabric fabric);

/// Predicted time of one allreduce.
struct Prediction {
  double seconds = std::numeric_limits<double>::infinity();
  std::int64_t chunks = 1;
  double latency_seconds = 0;    ///< hops, and launches that links do not hide
  double bandwidth_seconds = 0;  ///< the fullest link, or the busiest reducer if `reduction_bound`
  bool reduction_bound = false;
};

/// Closed form for a pipeline of k chunks through the forest: hops and launches of the first chunk to the roots and
/// back, and in steady state the slowest of what goes on at the same time: the fullest link, the busiest reducer, or
/// the launches of the member that has most of them:
///     2H hop + launches + max(path(M/k) + (k-1)/k M lambda, M lambda) + (k-1) max(launches - M lambda/k, 0),
/// minimised over k. path is the transfer and reduction time of one chunk along the slowest tree, lambda the time per
/// byte of the fullest resource. For one ring and k = 1 this is the well-known 2(n-1)(hop + M/(n b)). Infinite where
/// the members are not connected or the rate of a link is unknown.
Prediction predict(const LinkGraph& graph, const Forest& forest, std::uint64_t bytes, const CostConstants& constants);

/// Instructions per chunk at the member that has most: in every tree a reduction where it has children, else the copy
/// of its data to where its parent finds it; and one more copy where it has a parent.
int instructions_per_chunk(const Forest& forest);

struct Choice {
  std::size_t forest = 0;
  std::vector<Prediction> predictions;  ///< one per forest
  std::string why;
};

/// The forest with the least predicted time for this size; ties go to the earlier one. Needs at least one.
Choice choose(const LinkGraph& graph, const std::vector<Forest>& forests, std::uint64_t bytes,
              const CostConstants& constants);

}  // namespace treering::topology
