#include <algorithm>

#include "topology/build/cores.h"
#include "topology/build/hamiltonian.h"
#include "topology/build/packing_program.h"
#include "topology/build/route_trees.h"

namespace treering::topology {

namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

std::vector<int> parents_along(const std::vector<int>& path, std::size_t root) {
  std::vector<int> parent(path.size(), -1);
  for (std::size_t i = 0; i < path.size(); ++i)
    if (i != root) parent[index(path[i])] = i < root ? path[i + 1] : path[i - 1];
  return parent;
}

Forest one_path(const RoutedPairs& routed, const LinkGraph& graph) {
  Forest forest;
  const int members = routed.graph.members();
  const auto path = members <= most_on_path ? widest_path(routed.graph) : std::nullopt;
  if (!path) {
    BuildOptions options;
    options.roots = {0};
    forest = plan_star(graph, options);
    forest.relaxed = {{members <= most_on_path ? "no path leads through all members: breadth-first tree"
                                               : "too many members to search for a path: breadth-first tree",
                       {}}};
    return forest;
  }
  const std::size_t middle = path->size() / 2;
  forest.trees.push_back({(*path)[middle], 1, parents_along(*path, middle), {}});
  route_along(routed, forest.trees);
  return forest;
}

struct Cycle {
  std::vector<int> order;
  Rational weight;
};

std::vector<int> pairs_of(const PairGraph& graph, const std::vector<int>& order) {
  std::vector<int> pairs;
  for (std::size_t i = 0; i < order.size(); ++i)
    pairs.push_back(graph.between(order[i], order[(i + 1) % order.size()]));
  return pairs;
}

std::vector<Wide> capacities_of(const PairGraph& graph) {
  std::vector<Wide> capacities;
  for (const Pair& pair : graph.pairs()) capacities.push_back(pair.capacity);
  return capacities;
}

/// Cycles that share the pairs best, by column generation.
std::vector<Cycle> packed_cycles(const PairGraph& graph) {
  PackingProgram program(capacities_of(graph));
  std::vector<std::vector<int>> pool;
  while (const auto order = cheapest_cycle(graph, program.prices())) {
    const std::vector<int> pairs = pairs_of(graph, *order);
    if (program.price_of(pairs) >= program.price_scale()) break;
    program.enter(static_cast<int>(pool.size()), pairs);
    pool.push_back(*order);
  }
  std::vector<Cycle> cycles;
  for (const auto& [column, weight] : program.amounts()) cycles.push_back({pool[index(column)], weight});
  return cycles;
}

/// The widest cycle, then the widest in what that leaves, and so on: for graphs too large to do better quickly.
std::vector<Cycle> peeled_cycles(const PairGraph& graph) {
  std::vector<Wide> left = capacities_of(graph);
  std::vector<Cycle> cycles;
  while (true) {
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < left.size(); ++i)
      if (left[i] > 0) pairs.push_back({graph.pairs()[i].a, graph.pairs()[i].b, left[i]});
    const auto order = widest_cycle(PairGraph(graph.members(), std::move(pairs)));
    if (!order) return cycles;
    Wide width = left[index(pairs_of(graph, *order).front())];
    for (const int pair : pairs_of(graph, *order)) width = std::min(width, left[index(pair)]);
    for (const int pair : pairs_of(graph, *order)) left[index(pair)] -= width;
    cycles.push_back({*order, Rational::of(width, 1)});
  }
}

std::vector<Cycle> cycles_of(const PairGraph& graph) {
  if (graph.members() < 3 || graph.members() > most_on_path) return {};
  return graph.members() <= most_on_priced_cycle ? packed_cycles(graph) : peeled_cycles(graph);
}

}  // namespace

Forest plan_chain(const LinkGraph& graph, const BuildOptions&) { return one_path(routed_pairs(graph), graph); }

Forest plan_ring(const LinkGraph& graph, const BuildOptions&) {
  const RoutedPairs routed = routed_pairs(graph);
  const int members = graph.members;
  const std::vector<Cycle> cycles = cycles_of(routed.graph);
  if (cycles.empty()) {
    Forest forest = one_path(routed, graph);
    if (members > 2) forest.relaxed.insert(forest.relaxed.begin(), {"no ring leads through all members", {}});
    return forest;
  }
  Rational all;
  for (const Cycle& cycle : cycles) all += cycle.weight;
  Forest forest;
  for (const Cycle& cycle : cycles) {
    std::vector<int> path = cycle.order;
    for (int cut = 0; cut < members; ++cut) {
      forest.trees.push_back({path[0], cycle.weight / all / Rational(members), parents_along(path, 0), {}});
      std::ranges::rotate(path, path.begin() + 1);
    }
  }
  route_along(routed, forest.trees);
  return forest;
}

}  // namespace treering::topology
