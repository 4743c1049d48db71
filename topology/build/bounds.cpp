#include "topology/build/bounds.h"

#include <algorithm>
#include <bit>

#include "topology/build/max_flow.h"
#include "topology/build/partition_bound.h"

namespace treering::topology {

namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

void add_links(MaxFlow& flow, const LinkGraph& graph, Wide scale) {
  for (int from = 0; from < graph.vertices; ++from)
    for (int to = 0; to < graph.vertices; ++to)
      if (from != to) flow.add_edge(from, to, multiply(scale, graph.at(from, to)));
}

std::vector<std::vector<int>> two_parts(const LinkGraph& graph, const std::vector<bool>& inside) {
  std::vector<std::vector<int>> parts(2);
  for (int member = 0; member < graph.members; ++member) parts[inside[index(member)] ? 0 : 1].push_back(member);
  return parts;
}

std::string amount(const Rational& value, const LinkGraph& graph) { return value.text() + " " + graph.unit; }

struct Cut {
  Wide capacity = MaxFlow::unlimited;
  std::vector<bool> inside;
};

/// The cut with the least capacity from members inside to members outside, in either direction.
Cut weakest_cut(const LinkGraph& graph) {
  Cut weakest;
  for (int other = 1; other < graph.members; ++other) {
    for (const auto& [from, to] : {std::pair{0, other}, std::pair{other, 0}}) {
      MaxFlow flow(graph.vertices);
      add_links(flow, graph, 1);
      const Wide capacity = flow.run(from, to);
      if (capacity < weakest.capacity) weakest = {capacity, flow.source_side(from)};
    }
  }
  return weakest;
}

/// Newton's steps: each partition found is strictly tighter, until none is.
Partition limiting_partition(const LinkGraph& graph) {
  Partition best;
  for (int member = 0; member < graph.members; ++member) best.parts.push_back({member});
  for (int member = 0; member < graph.members; ++member) {
    MaxFlow flow(graph.vertices + 1);
    add_links(flow, graph, 1);
    for (int other = 0; other < graph.members; ++other)
      if (other != member) flow.add_edge(other, graph.vertices, MaxFlow::unlimited);
    best.leaving = add(best.leaving, flow.run(member, graph.vertices));
  }
  while (true) {
    Partition next = tightest_partition(graph, best.rate());
    if (next.parts.size() < 2 || next.rate() >= best.rate()) return best;
    best = std::move(next);
  }
}

}  // namespace

LinkGraph reversed(const LinkGraph& graph) {
  LinkGraph result = graph;
  for (int from = 0; from < graph.vertices; ++from)
    for (int to = 0; to < graph.vertices; ++to) result.at(to, from) = graph.at(from, to);
  return result;
}

std::string parts_text(const std::vector<std::vector<int>>& parts) {
  std::string text;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    if (text.size() > 160) return text + " ...";
    text += text.empty() ? "{" : " {";
    for (std::size_t i = 0; i < parts[part].size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(parts[part][i]);
    text += "}";
  }
  return text;
}

Bound allreduce_bound(const LinkGraph& graph) {
  Bound bound;
  const Cut cut = weakest_cut(graph);
  bound.rate = Rational::of(cut.capacity, 1);
  bound.crossing = bound.rate;
  bound.parts = two_parts(graph, cut.inside);
  bound.text = amount(bound.rate, graph) + " lead from the first to the second of " + parts_text(bound.parts);
  if (cut.capacity == 0) return bound;
  for (const LinkGraph& direction : {graph, reversed(graph)}) {
    const Partition partition = limiting_partition(direction);
    if (partition.rate() >= bound.rate) continue;
    bound.rate = partition.rate();
    bound.parts = partition.parts;
    bound.crossing = Rational::of(partition.leaving, 2);
    bound.text = amount(bound.crossing, graph) + " per direction join the " + std::to_string(bound.parts.size()) +
                 " parts " + parts_text(bound.parts) + ", which need " + std::to_string(bound.parts.size() - 1) +
                 " crossings";
  }
  return bound;
}

Bound allgather_bound(const LinkGraph& graph, const std::vector<std::int64_t>& weights) {
  const auto weight = [&](int member) { return weights.empty() ? Wide{1} : Wide{weights[index(member)]}; };
  Wide total = 0;
  for (int member = 0; member < graph.members; ++member) total = add(total, weight(member));

  const int source = graph.vertices;
  Rational best = Rational::of(MaxFlow::unlimited >> 40, 1);
  Cut cut;
  for (bool improved = true; improved;) {
    improved = false;
    for (int target = 0; target < graph.members; ++target) {
      // The first visit has no rate to test yet: it takes the capacity into the target alone.
      MaxFlow flow(graph.vertices + 1);
      const bool first = cut.inside.empty();
      add_links(flow, graph, first ? 1 : best.denominator());
      for (int member = 0; member < graph.members; ++member)
        if (!first || member != target)
          flow.add_edge(source, member, first ? MaxFlow::unlimited : multiply(best.numerator(), weight(member)));
      const Wide reached = flow.run(source, target);
      if (!first && reached >= multiply(best.numerator(), total)) continue;
      const std::vector<bool> inside = flow.source_side(source);
      Wide weight_inside = 0, capacity = 0;
      for (int from = 0; from < graph.vertices; ++from) {
        if (!inside[index(from)]) continue;
        if (from < graph.members) weight_inside = add(weight_inside, weight(from));
        for (int to = 0; to < graph.vertices; ++to)
          if (!inside[index(to)]) capacity = add(capacity, graph.at(from, to));
      }
      if (weight_inside == 0) continue;
      best = Rational::of(capacity, weight_inside);
      cut = {capacity, inside};
      improved = true;
    }
  }
  Bound bound;
  bound.rate = best * Rational::of(total, 1);
  bound.parts = two_parts(graph, cut.inside);
  bound.crossing = Rational::of(cut.capacity, 1);
  bound.text = amount(bound.crossing, graph) + " carry what the first of " + parts_text(bound.parts) + " contributes";
  return bound;
}

Bound broadcast_bound(const LinkGraph& graph, int root) {
  Cut weakest;
  for (int target = 0; target < graph.members; ++target) {
    if (target == root) continue;
    MaxFlow flow(graph.vertices);
    add_links(flow, graph, 1);
    const Wide capacity = flow.run(root, target);
    if (capacity < weakest.capacity) weakest = {capacity, flow.source_side(root)};
  }
  Bound bound;
  bound.rate = bound.crossing = Rational::of(weakest.capacity, 1);
  bound.parts = two_parts(graph, weakest.inside);
  bound.text = amount(bound.rate, graph) + " lead from the first to the second of " + parts_text(bound.parts);
  return bound;
}

Bound hierarchical_bound(const std::vector<Rational>& inside, const std::vector<Rational>& network) {
  Bound bound;
  const std::int64_t nodes = static_cast<std::int64_t>(network.size());
  for (std::size_t node = 0; node < inside.size(); ++node) {
    if (node != 0 && inside[node] >= bound.rate) continue;
    bound.rate = bound.crossing = inside[node];
    bound.parts = {{static_cast<int>(node)}};
    bound.text = "links inside node " + std::to_string(node);
  }
  if (nodes < 2) return bound;
  Rational sum;
  for (std::size_t node = 0; node < network.size(); ++node) {
    sum += network[node];
    if (!bound.parts.empty() && network[node] >= bound.rate) continue;
    bound.rate = bound.crossing = network[node];
    bound.parts = {{static_cast<int>(node)}};
    bound.text = "network of node " + std::to_string(node);
  }
  const Rational all = sum / Rational(2 * (nodes - 1));
  if (all >= bound.rate) return bound;
  bound.rate = all;
  bound.crossing = sum;
  bound.parts.clear();
  for (int node = 0; node < nodes; ++node) bound.parts.push_back({node});
  bound.text =
      "network of all nodes together: each element leaves a node " + std::to_string(2 * (nodes - 1)) + " times";
  return bound;
}

int least_rounds(const LinkGraph& graph) {
  const int rounds = static_cast<int>(std::bit_width(static_cast<unsigned>(std::max(graph.members - 1, 0))));
  if (graph.vertices != graph.members) return rounds;
  int radius = graph.members;
  for (int centre = 0; centre < graph.members; ++centre) {
    std::vector<int> depth(index(graph.members), -1), queue{centre};
    depth[index(centre)] = 0;
    for (std::size_t head = 0; head < queue.size(); ++head)
      for (int to = 0; to < graph.members; ++to)
        if (graph.at(queue[head], to) > 0 && depth[index(to)] < 0) {
          depth[index(to)] = depth[index(queue[head])] + 1;
          queue.push_back(to);
        }
    if (static_cast<int>(queue.size()) == graph.members) radius = std::min(radius, depth[index(queue.back())]);
  }
  return std::max(rounds, radius);
}

}  // namespace treering::topology
