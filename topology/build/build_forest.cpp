#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include "topology/build/breadth_first.h"
#include "topology/build/canonical_order.h"
#include "topology/build/connect.h"
#include "topology/build/cores.h"
#include "topology/build/evaluate.h"
#include "topology/build/pair_graph.h"
#include "topology/build/route_trees.h"

namespace treering::topology {

namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

using Core = Forest (*)(const LinkGraph&, const BuildOptions&);

struct Entry {
  Builder builder;
  Core core;
};

constexpr std::array<Entry, 6> entries{{
    {{"packed", "spanning trees that together reach the optimum of the links"}, plan_packed},
    {{"binomial", "balanced trees of few rounds, one per root, the worst link spared"}, plan_binomial},
    {{"forest", "trees from every member through switches, by maximum flows"}, plan_forest},
    {{"star", "one hop: every root exchanges with all others directly"}, plan_star},
    {{"chain", "one path through all members"}, plan_chain},
    {{"ring", "cycles through all members, cut open at a different place for each share"}, plan_ring},
}};

constexpr std::array<Builder, entries.size()> listed = [] {
  std::array<Builder, entries.size()> result{};
  for (std::size_t i = 0; i < entries.size(); ++i) result[i] = entries[i].builder;
  return result;
}();

LinkGraph cleaned(const LinkGraph& graph) {
  LinkGraph result = graph;
  for (std::int64_t& capacity : result.capacity) capacity = std::max<std::int64_t>(capacity, 0);
  for (int vertex = 0; vertex < graph.vertices; ++vertex) result.at(vertex, vertex) = 0;
  return result;
}

void check_options(const LinkGraph& graph, const BuildOptions& options) {
  for (const auto* list : {&options.roots, &options.preferred_roots})
    for (const int member : *list)
      if (member < 0 || member >= graph.members)
        throw std::invalid_argument("root " + std::to_string(member) + " is not one of the " +
                                    std::to_string(graph.members) + " members");
  if (!options.root_data.empty() &&
      (options.root_data.size() != index(graph.members) || std::ranges::min(options.root_data) < 0 ||
       std::ranges::max(options.root_data) == 0))
    throw std::invalid_argument("root_data needs one number >= 0 per member, not all 0");
}

/// What options tell apart, so that relabelling moves it with the members.
std::vector<int> colours(const LinkGraph& graph, const BuildOptions& options) {
  std::vector<std::array<std::int64_t, 3>> kinds;
  for (int vertex = 0; vertex < graph.vertices; ++vertex) {
    const bool member = vertex < graph.members;
    kinds.push_back({member && !options.root_data.empty() ? options.root_data[index(vertex)] : 0,
                     std::ranges::count(options.roots, vertex) > 0,
                     std::ranges::count(options.preferred_roots, vertex) > 0});
  }
  auto sorted = kinds;
  std::ranges::sort(sorted);
  std::vector<int> result;
  for (const auto& kind : kinds)
    result.push_back(static_cast<int>(std::ranges::lower_bound(sorted, kind) - sorted.begin()));
  return result;
}

BuildOptions relabelled(const BuildOptions& options, const std::vector<int>& order) {
  BuildOptions result = options;
  std::vector<int> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[index(order[i])] = static_cast<int>(i);
  for (auto* list : {&result.roots, &result.preferred_roots}) {
    for (int& member : *list) member = place[index(member)];
    std::ranges::sort(*list);
    list->erase(std::ranges::unique(*list).begin(), list->end());
  }
  for (std::size_t i = 0; i < options.root_data.size(); ++i) result.root_data[i] = options.root_data[index(order[i])];
  return result;
}

void restore_labels(std::vector<ForestTree>& trees, const std::vector<int>& order) {
  for (ForestTree& tree : trees) {
    ForestTree moved = tree;
    moved.root = order[index(tree.root)];
    for (std::size_t member = 0; member < tree.parent.size(); ++member) {
      const std::size_t to = index(order[member]);
      moved.parent[to] = tree.parent[member] < 0 ? -1 : order[index(tree.parent[member])];
      moved.route[to] = tree.route[member];
      for (int& vertex : moved.route[to]) vertex = order[index(vertex)];
    }
    tree = std::move(moved);
  }
  std::ranges::sort(trees, [](const ForestTree& a, const ForestTree& b) {
    if (a.root != b.root) return a.root < b.root;
    if (a.share != b.share) return a.share > b.share;
    return std::tie(a.parent, a.route) < std::tie(b.parent, b.route);
  });
}

void note_first(Forest& forest, const std::string& why) { forest.relaxed.insert(forest.relaxed.begin(), {why, {}}); }

std::string reason_text(const std::vector<Relaxation>& relaxed) {
  std::string text;
  for (const auto& [why, roots] : relaxed) {
    text += text.empty() ? "" : "; ";
    for (std::size_t i = 0; i < roots.size(); ++i) text += (i == 0 ? "root " : ",") + std::to_string(roots[i]);
    text += (roots.empty() ? "" : ": ") + why;
  }
  return text;
}

Forest single_member(const LinkGraph& graph) {
  Forest forest;
  if (graph.members == 1) forest.trees = {{0, 1, {-1}, {{}}}};
  note_first(forest, graph.members == 1 ? "one member: nothing moves" : "no members");
  return forest;
}

/// For arithmetic that leaves 128 bits: breadth-first trees from all roots need none.
Forest guarded(Core core, const LinkGraph& graph, const BuildOptions& options) {
  try {
    return core(graph, options);
  } catch (const Overflow&) {
    Forest forest;
    forest.trees = breadth_first_trees(graph);
    if (const LinkGraph backwards = reversed(graph); backwards.capacity != graph.capacity)
      forest.reduce_trees = breadth_first_trees(backwards);
    note_first(forest, "capacities too large for exact planning: breadth-first trees");
    return forest;
  }
}

Forest plan(const Entry& entry, const LinkGraph& graph, const BuildOptions& options) {
  const std::vector<int> order = canonical_order(graph, colours(graph, options));
  const LinkGraph usual = reordered(graph, order);
  const bool one_way = entry.core != plan_forest && !routed_pairs(usual).graph.connected();
  Forest forest = guarded(one_way ? plan_forest : entry.core, usual, relabelled(options, order));
  if (one_way) note_first(forest, "some links run one way only: planned as forest");
  for (auto* trees : {&forest.trees, &forest.reduce_trees}) {
    route_directly(*trees);
    restore_labels(*trees, order);
  }
  for (Relaxation& relaxation : forest.relaxed) {
    for (int& root : relaxation.roots) root = order[index(root)];
    std::ranges::sort(relaxation.roots);
  }
  return forest;
}

}  // namespace

std::span<const Builder> builders() { return listed; }

Forest build_forest(std::string_view name, const LinkGraph& graph, const BuildOptions& options) {
  const auto entry = std::ranges::find(entries, name, [](const Entry& candidate) { return candidate.builder.name; });
  if (entry == entries.end()) throw std::invalid_argument("no builder is called \"" + std::string(name) + "\"");
  check_options(graph, options);

  const LinkGraph real = cleaned(graph);
  const auto groups = connected_groups(real);
  Forest forest = groups.size() <= 1 && real.members <= 1 ? single_member(real)
                  : groups.size() == 1                    ? plan(*entry, real, options)
                                                          : plan(*entry, with_assumed_links(real, groups), options);
  if (groups.size() > 1)
    note_first(forest, "no links join " + parts_text(groups) + ": assumed a slow path of unknown rate between them");
  forest.builder = name;
  if (real.members > 1)
    forest.bound =
        forest.operation == Operation::allreduce ? allreduce_bound(real) : allgather_bound(real, options.root_data);
  evaluate(real, forest);
  forest.reason = reason_text(forest.relaxed);
  return forest;
}

}  // namespace treering::topology
