#pragma once

#include <string>
#include <vector>

#include "topology/build/rational.h"
#include "topology/link_graph.h"

namespace treering::topology {

/// What no schedule can beat, and why: the groups of members between which the capacity is short.
struct Bound {
  Rational rate;                        ///< algorithm bandwidth, in units of the graph; 0 if members are not connected
  std::vector<std::vector<int>> parts;  ///< disjoint groups of members that witness it, each ascending
  Rational crossing;                    ///< capacity between the parts that the rate was computed from
  std::string text;                     ///< one line for people
};

/// Upper bound on the rate of an allreduce without arithmetic inside switches: over all partitions of the members into
/// k parts, the capacity that leaves the parts through links and switches, halved, over k-1; and over all cuts, the
/// capacity in the weaker direction. k parties need 2k-2 messages per element (the gossip bound); for symmetric direct
/// links the bound is attained (Tutte 1961, Nash-Williams 1961). Found by Newton steps over Dilworth truncations, each
/// a few maximum flows, so it is exact and polynomial. Needs at least two members; throws Overflow for absurd
/// capacities.
Bound allreduce_bound(const LinkGraph& graph);

/// Rate (data per time, whole result) of an allgather or, on the reversed graph, a reduce-scatter in which member i
/// contributes weights[i] of the data: the least capacity out of a set over the weight in it. Empty weights mean equal.
Bound allgather_bound(const LinkGraph& graph, const std::vector<std::int64_t>& weights = {});

/// Rate of a broadcast from `root` (Edmonds 1973): the smallest maximum flow from it to any member.
Bound broadcast_bound(const LinkGraph& graph, int root);

/// Rate of an allreduce over several nodes: the weakest node inside, and the network, where node i can send and receive
/// network[i]. All rates in one unit. parts holds the limiting node, or all nodes if the network limits.
Bound hierarchical_bound(const std::vector<Rational>& inside, const std::vector<Rational>& network);

/// Rounds that any reduction to one member needs when a member receives once per round: ceil(log2 members), and for
/// direct links at least the radius of the graph.
int least_rounds(const LinkGraph& graph);

/// The graph with every link turned round.
LinkGraph reversed(const LinkGraph& graph);

/// "{0,1} {2}"; long lists end in "...".
std::string parts_text(const std::vector<std::vector<int>>& parts);

}  // namespace treering::topology
