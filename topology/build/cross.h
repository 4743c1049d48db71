#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "topology/build/cost.h"
#include "topology/plan.h"

namespace treering::topology {

/// Order of nodes on a ring such that nodes in the same place follow each other: location[i] names where node i is,
/// from the coarsest to the finest (pod, rack, switch). Nodes in the same place keep their order; node 0 comes first.
std::vector<int> ring_order(const std::vector<std::vector<int>>& location);

/// The same from a symmetric table of distances (row-major): a short round trip, nearest neighbour first, then
/// stretches turned round while that helps. Deterministic.
std::vector<int> ring_order_by_distance(int nodes, const std::vector<std::int64_t>& distance);

/// Two binary trees over the same nodes, each for half of the data, such that no node has children in both: so every
/// node sends about as much as it receives (Sanders, Speck, Traeff 2009). Heights are about log2 nodes. Positions
/// follow `order`, so neighbours in the tree are near each other.
std::array<Tree, 2> double_tree(const std::vector<int>& order);

enum class CrossAlgorithm { ring, double_tree };

/// Predicted time of an allreduce of `bytes` between nodes that each send and receive at `bytes_per_second`.
double cross_seconds(CrossAlgorithm algorithm, int nodes, std::uint64_t bytes, double bytes_per_second,
                     const CostConstants& constants);

/// The faster of the two; ties go to the ring.
CrossAlgorithm choose_cross(int nodes, std::uint64_t bytes, double bytes_per_second, const CostConstants& constants);

/// Time of a pipeline in which the node's trees and the exchange between nodes work on different chunks.
double hierarchical_seconds(double inside_seconds, double cross_seconds, std::int64_t chunks);

}  // namespace treering::topology
