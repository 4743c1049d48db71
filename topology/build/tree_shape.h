#pragma once

#include <utility>
#include <vector>

namespace treering::topology {

using Edges = std::vector<std::pair<int, int>>;

/// Parents of the tree with these edges when hung up at `root`; members that the edges do not reach get -2.
std::vector<int> parents_from_edges(int members, const Edges& edges, int root);

/// (parent, child) for every member but the root.
Edges edges_of(const std::vector<int>& parent);

/// Hops from the root to each member; -1 where the parents do not lead to the root.
std::vector<int> depths(const std::vector<int>& parent);

/// Largest depth; -1 unless every member reaches the one root.
int tree_height(const std::vector<int>& parent);

/// Height of the tree when hung up at each of its members.
std::vector<int> eccentricities(int members, const Edges& edges);

}  // namespace treering::topology
