#include "topology/build/evaluate.h"

#include <algorithm>
#include <map>

#include "topology/build/tree_shape.h"

namespace treering::topology {

namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

using Loads = std::map<std::pair<int, int>, Rational>;

void load_trees(const std::vector<ForestTree>& trees, bool upward, Loads& loads) {
  for (const ForestTree& tree : trees)
    for (const std::vector<int>& route : tree.route)
      for (std::size_t hop = 1; hop < route.size(); ++hop) {
        const int from = route[hop - 1], to = route[hop];
        loads[upward ? std::pair{to, from} : std::pair{from, to}] += tree.share;
      }
}

/// Time per unit of data on the fullest link; negative if a link is used that does not exist.
Rational busiest(const LinkGraph& graph, const Loads& loads) {
  Rational worst;
  for (const auto& [link, load] : loads) {
    const std::int64_t capacity = graph.at(link.first, link.second);
    if (capacity <= 0) return -1;
    worst = std::max(worst, load / Rational(capacity));
  }
  return worst;
}

Rational rate_from(const Rational& time) { return time > Rational(0) ? Rational(1) / time : Rational(0); }

std::string route_fault(const LinkGraph& graph, const ForestTree& tree, int member, bool connected) {
  const std::vector<int>& route = tree.route[index(member)];
  if (route.size() < 2 || route.front() != tree.parent[index(member)] || route.back() != member)
    return "route to member " + std::to_string(member) + " does not run from its parent to it";
  for (std::size_t hop = 1; hop < route.size(); ++hop) {
    if (route[hop] < 0 || route[hop] >= graph.vertices) return "route through a vertex that does not exist";
    if (hop + 1 < route.size() && route[hop] < graph.members) return "route through a member";
    if (connected && graph.at(route[hop - 1], route[hop]) <= 0)
      return "no link from " + std::to_string(route[hop - 1]) + " to " + std::to_string(route[hop]);
  }
  return "";
}

std::string tree_fault(const LinkGraph& graph, const ForestTree& tree, bool connected) {
  if (tree.parent.size() != index(graph.members) || tree.route.size() != index(graph.members))
    return "tree does not list every member";
  if (tree.root < 0 || tree.root >= graph.members || tree.parent[index(tree.root)] != -1) return "root has a parent";
  if (tree_height(tree.parent) < 0) return "tree of root " + std::to_string(tree.root) + " does not span the members";
  if (tree.share <= Rational(0)) return "share is not positive";
  for (int member = 0; member < graph.members; ++member) {
    if (member == tree.root) continue;
    if (std::string fault = route_fault(graph, tree, member, connected); !fault.empty()) return fault;
  }
  return "";
}

}  // namespace

void evaluate(const LinkGraph& graph, Forest& forest) {
  Loads down, both;
  load_trees(forest.trees, false, down);
  both = down;
  const bool directed = !forest.reduce_trees.empty();
  load_trees(directed ? forest.reduce_trees : forest.trees, true, both);

  forest.allreduce_rate = rate_from(busiest(graph, both));
  forest.rate = forest.operation == Operation::allreduce ? forest.allreduce_rate : rate_from(busiest(graph, down));
  forest.gap = forest.bound.rate > Rational(0) ? Rational(1) - forest.rate / forest.bound.rate : Rational(0);
  forest.worst_load =
      forest.rate > Rational(0) ? Rational(static_cast<std::int64_t>(forest.trees.size())) / forest.rate : Rational(0);
  forest.loads.clear();
  for (const auto& [link, load] : both)
    forest.loads.push_back({link.first, link.second, graph.at(link.first, link.second), load});
  forest.height = 0;
  for (const auto* trees : {&forest.trees, &forest.reduce_trees})
    for (const ForestTree& tree : *trees) forest.height = std::max(forest.height, tree_height(tree.parent));
}

std::string find_fault(const LinkGraph& graph, const Forest& forest) {
  const bool connected = graph.members < 2 || forest.bound.rate > Rational(0);
  for (const auto* trees : {&forest.trees, &forest.reduce_trees}) {
    Rational shares;
    for (const ForestTree& tree : *trees) {
      // Reduced data takes the routes of reduce_trees backwards, so their links are those of the reversed graph.
      const bool backwards = trees == &forest.reduce_trees;
      if (std::string fault = tree_fault(backwards ? reversed(graph) : graph, tree, connected); !fault.empty())
        return fault;
      shares += tree.share;
    }
    if (!trees->empty() && shares != Rational(1)) return "shares sum to " + shares.text();
  }
  return forest.trees.empty() ? "no tree" : "";
}

}  // namespace treering::topology
