#include <algorithm>

#include "topology/build/arborescences.h"
#include "topology/build/max_flow.h"
#include "topology/build/tree_packing.h"

namespace treering::topology {

namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

/// Largest increase of one pair's amount such that no set of members holds more than target * (size - 1) inside.
Wide room_for(const PairGraph& graph, const std::vector<Wide>& amount, std::size_t pair, Wide target) {
  // Minimises target * (|X| - 1) - amount(inside X) over the sets X with both ends: a pair node pays its amount unless
  // both its members are in X (on the source side).
  const int members = graph.members(), source = members + static_cast<int>(amount.size()), sink = source + 1;
  MaxFlow flow(sink + 1);
  Wide total = 0;
  for (std::size_t other = 0; other < amount.size(); ++other) {
    const int node = members + static_cast<int>(other);
    flow.add_edge(source, node, amount[other]);
    flow.add_edge(node, graph.pairs()[other].a, MaxFlow::unlimited);
    flow.add_edge(node, graph.pairs()[other].b, MaxFlow::unlimited);
    total = add(total, amount[other]);
  }
  for (int member = 0; member < members; ++member) flow.add_edge(member, sink, target);
  flow.add_edge(source, graph.pairs()[pair].a, MaxFlow::unlimited);
  flow.add_edge(source, graph.pairs()[pair].b, MaxFlow::unlimited);
  return subtract(subtract(flow.run(source, sink), total), target);
}

/// Directs each pair's amount towards its two ends so that every member but `root` receives exactly `target`.
Arcs directed(const PairGraph& graph, const std::vector<Wide>& amount, Wide target, int root) {
  Arcs arcs(graph.members());
  std::vector<Wide> received(index(graph.members()));
  for (std::size_t i = 0; i < amount.size(); ++i) {
    const auto [a, b, capacity] = graph.pairs()[i];
    const int to = a == root ? b : a;
    arcs.at(to == a ? b : a, to) = amount[i];
    received[index(to)] = add(received[index(to)], amount[i]);
  }
  // Turning round a path of arcs that leads from a member with too little to one with too much moves the surplus.
  MaxFlow flow(graph.members() + 2);
  std::vector<std::pair<int, int>> ids;
  const int source = graph.members(), sink = source + 1;
  for (int member = 0; member < graph.members(); ++member) {
    if (member == root) continue;
    flow.add_edge(source, member, received[index(member)] - target);
    flow.add_edge(member, sink, target - received[index(member)]);
  }
  for (int from = 0; from < graph.members(); ++from)
    for (int to = 0; to < graph.members(); ++to)
      if (from != root && to != root && arcs.at(from, to) > 0) {
        flow.add_edge(to, from, arcs.at(from, to));
        ids.emplace_back(to, from);
      }
  flow.run(source, sink);
  const std::vector<Wide> moved = flow.flows();
  std::size_t first = moved.size() - ids.size();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    arcs.at(ids[i].second, ids[i].first) -= moved[first + i];
    arcs.at(ids[i].first, ids[i].second) += moved[first + i];
  }
  return arcs;
}

}  // namespace

TreePacking pack_trees_by_flow(const PairGraph& graph, const Rational& target) {
  const Wide scale = target.denominator(), whole = target.numerator();
  std::vector<Wide> amount(graph.pairs().size());
  for (std::size_t pair = 0; pair < amount.size(); ++pair)
    amount[pair] = std::min(multiply(scale, graph.pairs()[pair].capacity), room_for(graph, amount, pair, whole));

  std::vector<Wide> roots(index(graph.members()));
  roots[0] = whole;
  const auto trees = pack_arborescences(directed(graph, amount, whole, 0), roots);
  TreePacking packing;
  if (!trees) return packing;
  for (const Arborescence& tree : *trees) {
    WeightedTree weighted;
    for (const auto& [a, b] : edges_of(tree.parent)) weighted.pairs.push_back(graph.between(a, b));
    std::ranges::sort(weighted.pairs);
    weighted.weight = Rational::of(tree.count, scale);
    packing.value += weighted.weight;
    packing.trees.push_back(std::move(weighted));
  }
  return packing;
}

}  // namespace treering::topology
