#pragma once

#include <optional>
#include <vector>

#include "topology/build/pair_graph.h"

namespace treering::topology {

/// Paths and cycles through every member once, by dynamic programming over (members visited, last one)
/// (Bellman 1962, Held and Karp 1962).
inline constexpr int most_on_path = 16;         ///< members, where only the narrowest pair counts
inline constexpr int most_on_priced_cycle = 9;  ///< members, where prices are summed

/// A path or cycle whose narrowest pair is as wide as possible; nullopt if there is none. Cycles need three members.
std::optional<std::vector<int>> widest_path(const PairGraph& graph);
std::optional<std::vector<int>> widest_cycle(const PairGraph& graph);

/// The cycle of least total price, starting at member 0. Needs three members or more; nullopt if there is none.
std::optional<std::vector<int>> cheapest_cycle(const PairGraph& graph, const std::vector<Wide>& prices);

}  // namespace treering::topology
