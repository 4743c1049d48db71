#include "topology/build/partition_bound.h"

#include <algorithm>

#include "topology/build/max_flow.h"

namespace treering::topology {

namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

/// Maximises x(members) under x(P) <= scale * leaving(P) - charge for every non-empty set P, member by member. The sets
/// that stop the growth, merged where they overlap, are the partition that minimises the right-hand sides
/// (Dilworth truncation; Frank and Tardos 1988).
class Truncation {
 public:
  Truncation(const LinkGraph& graph, Wide scale, Wide charge)
      : graph_(graph), scale_(scale), charge_(charge), x_(index(graph.members)), block_(index(graph.members)) {
    for (int member = 0; member < graph.members; ++member) grow(member);
  }

  std::vector<std::vector<int>> blocks() const {
    std::vector<std::vector<int>> result(block_.size());
    for (int member = 0; member < graph_.members; ++member) result[index(block_[index(member)])].push_back(member);
    std::erase_if(result, [](const auto& part) { return part.empty(); });
    return result;
  }

 private:
  void grow(int member) {
    const int sink = graph_.vertices;
    MaxFlow flow(graph_.vertices + 1);
    for (int from = 0; from < graph_.vertices; ++from)
      for (int to = 0; to < graph_.vertices; ++to)
        if (from != to) flow.add_edge(from, to, multiply(scale_, graph_.at(from, to)));
    Wide paid_outside = 0;
    for (int other = 0; other < graph_.members; ++other) {
      if (other == member) continue;
      const Wide value = x_[index(other)];
      if (other > member) {
        flow.add_edge(other, sink, MaxFlow::unlimited);
      } else if (value > 0) {
        flow.add_edge(member, other, value);
        paid_outside = add(paid_outside, value);
      } else {
        flow.add_edge(other, sink, -value);
      }
    }
    x_[index(member)] = subtract(subtract(flow.run(member, sink), paid_outside), charge_);
    merge(member, flow.source_side(member));
  }

  void merge(int member, const std::vector<bool>& tight) {
    block_[index(member)] = member;
    for (int other = 0; other < member; ++other) {
      if (!tight[index(other)] || block_[index(other)] == member) continue;
      const int joined = block_[index(other)];
      std::replace(block_.begin(), block_.begin() + member, joined, member);
    }
  }

  const LinkGraph& graph_;
  Wide scale_, charge_;
  std::vector<Wide> x_;
  std::vector<int> block_;
};

void add_part(const LinkGraph& graph, const std::vector<int>& part, Partition& partition) {
  const int source = graph.vertices, sink = graph.vertices + 1;
  MaxFlow flow(graph.vertices + 2);
  for (int from = 0; from < graph.vertices; ++from)
    for (int to = 0; to < graph.vertices; ++to)
      if (from != to) flow.add_edge(from, to, graph.at(from, to));
  for (int member = 0; member < graph.members; ++member) {
    const bool inside = std::ranges::binary_search(part, member);
    flow.add_edge(inside ? source : member, inside ? member : sink, MaxFlow::unlimited);
  }
  partition.leaving = add(partition.leaving, flow.run(source, sink));
  partition.cuts.push_back(flow.source_side(source));
  partition.parts.push_back(part);
}

}  // namespace

Partition tightest_partition(const LinkGraph& graph, const Rational& rate) {
  Partition result;
  const Truncation truncation(graph, rate.denominator(), multiply(2, rate.numerator()));
  const auto parts = truncation.blocks();
  if (parts.size() < 2) return {parts, {}, 0};
  for (const std::vector<int>& part : parts) add_part(graph, part, result);
  return result;
}

}  // namespace treering::topology
