#include "topology/build/pair_graph.h"

#include <algorithm>

namespace treering::topology {

namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

std::int64_t both_ways(const LinkGraph& graph, int a, int b) { return std::min(graph.at(a, b), graph.at(b, a)); }

/// Fewest-hop route from `from` to every vertex over links of at least `width` in both directions, through switches
/// only.
std::vector<int> previous_hops(const LinkGraph& graph, int from, std::int64_t width) {
  std::vector<int> previous(index(graph.vertices), -1), queue{from};
  previous[index(from)] = from;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const int at = queue[head];
    if (at != from && at < graph.members) continue;
    for (int to = 0; to < graph.vertices; ++to)
      if (previous[index(to)] < 0 && both_ways(graph, at, to) >= width) {
        previous[index(to)] = at;
        queue.push_back(to);
      }
  }
  return previous;
}

std::vector<int> route_to(const std::vector<int>& previous, int to) {
  std::vector<int> route{to};
  while (previous[index(route.back())] != route.back()) route.push_back(previous[index(route.back())]);
  std::ranges::reverse(route);
  return route;
}

}  // namespace

PairGraph::PairGraph(int members, std::vector<Pair> pairs)
    : members_(members), pairs_(std::move(pairs)), id_(index(members * members), -1) {
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const auto [a, b, capacity] = pairs_[i];
    id_[index(a * members_ + b)] = id_[index(b * members_ + a)] = static_cast<int>(i);
  }
}

bool PairGraph::connected() const {
  Edges all;
  for (const Pair& pair : pairs_) all.emplace_back(pair.a, pair.b);
  return members_ < 2 || std::ranges::count(parents_from_edges(members_, all, 0), -2) == 0;
}

Edges PairGraph::edges(const std::vector<int>& pair_ids) const {
  Edges result;
  for (const int id : pair_ids) result.emplace_back(pairs_[index(id)].a, pairs_[index(id)].b);
  return result;
}

PairGraph direct_pairs(const LinkGraph& graph) {
  std::vector<Pair> pairs;
  for (int a = 0; a < graph.members; ++a)
    for (int b = a + 1; b < graph.members; ++b)
      if (both_ways(graph, a, b) > 0) pairs.push_back({a, b, both_ways(graph, a, b)});
  return {graph.members, std::move(pairs)};
}

RoutedPairs routed_pairs(const LinkGraph& graph) {
  std::vector<std::int64_t> widths(graph.capacity);
  std::ranges::sort(widths, std::greater());
  widths.erase(std::ranges::unique(widths).begin(), widths.end());
  std::erase_if(widths, [](std::int64_t width) { return width <= 0; });

  std::vector<Pair> pairs;
  std::vector<std::vector<int>> routes;
  for (int a = 0; a < graph.members; ++a) {
    std::vector<bool> found(index(graph.members));
    for (const std::int64_t width : widths) {
      const std::vector<int> previous = previous_hops(graph, a, width);
      for (int b = a + 1; b < graph.members; ++b) {
        if (found[index(b)] || previous[index(b)] < 0) continue;
        found[index(b)] = true;
        pairs.push_back({a, b, width});
        routes.push_back(route_to(previous, b));
      }
    }
  }
  return {PairGraph(graph.members, std::move(pairs)), std::move(routes)};
}

}  // namespace treering::topology
