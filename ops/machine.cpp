#include "ops/machine.h"

#include <algorithm>
#include <limits>

namespace treering::ops {

namespace {

using topology::LinkGraph;

std::size_t index(int value) { return static_cast<std::size_t>(value); }

/// From one member to all vertices, through switches only: per vertex the one before it, by number of links, then by
/// the narrowest of them.
std::vector<int> widest_ways(const LinkGraph& graph, int from) {
  std::vector<int> before(index(graph.vertices), -1);
  std::vector<std::int64_t> width(index(graph.vertices));
  std::vector<int> front{from};
  std::vector<bool> reached(index(graph.vertices));
  width[index(from)] = std::numeric_limits<std::int64_t>::max();
  reached[index(from)] = true;
  while (!front.empty()) {
    std::vector<int> next;
    for (const int at : front) {
      if (at < graph.members && at != from) continue;
      for (int to = 0; to < graph.vertices; ++to) {
        const std::int64_t through = std::min(width[index(at)], graph.at(at, to));
        if (reached[index(to)] || through <= width[index(to)]) continue;
        if (before[index(to)] < 0) next.push_back(to);
        before[index(to)] = at;
        width[index(to)] = through;
      }
    }
    for (const int vertex : next) reached[index(vertex)] = true;
    front = std::move(next);
  }
  return before;
}

void add(NodeLinks& links, const Route& route) {
  std::vector<Route>& known = links.routes[{route.front(), route.back()}];
  if (std::ranges::find(known, route) == known.end()) known.push_back(route);
}

/// Routes run from parent to child; what is reduced goes against them.
void add_trees(NodeLinks& links, const std::vector<topology::ForestTree>& trees, bool down, bool up) {
  for (const topology::ForestTree& tree : trees)
    for (const Route& route : tree.route) {
      if (route.size() < 2) continue;
      if (down) add(links, route);
      if (up) add(links, Route(route.rbegin(), route.rend()));
    }
}

}  // namespace

NodeLinks node_links(const LinkGraph& graph, const topology::Forest* forest) {
  NodeLinks links{graph, {}};
  if (forest != nullptr) {
    const bool directed = !forest->reduce_trees.empty();
    add_trees(links, forest->trees, true, !directed);
    add_trees(links, forest->reduce_trees, false, true);
  }
  for (int from = 0; from < graph.members; ++from) {
    const std::vector<int> before = widest_ways(graph, from);
    for (int to = 0; to < graph.members; ++to) {
      if (to == from || before[index(to)] < 0 || links.routes.contains({from, to})) continue;
      Route route{to};
      while (route.back() != from) route.push_back(before[index(route.back())]);
      add(links, Route(route.rbegin(), route.rend()));
    }
  }
  return links;
}

}  // namespace treering::ops
