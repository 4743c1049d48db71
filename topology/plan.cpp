#include "topology/plan.h"

#include <algorithm>
#include <map>
#include <utility>

namespace treering::topology {

std::vector<std::vector<int>> JobShape::members() const {
  std::vector<std::vector<int>> nodes(
      static_cast<std::size_t>(node_of.empty() ? 0 : *std::ranges::max_element(node_of) + 1));
  for (std::size_t rank = 0; rank < node_of.size(); ++rank) {
    std::vector<int>& node = nodes[static_cast<std::size_t>(node_of[rank])];
    node.insert(node.end(), static_cast<std::size_t>(devices_of(rank)), static_cast<int>(rank));
  }
  return nodes;
}

std::vector<std::vector<int>> member_numbers(const Plan& plan) {
  std::map<int, int> devices;
  for (const NodePlan& node : plan.nodes)
    for (const int rank : node.ranks) ++devices[rank];
  int next = 0;
  for (auto& [rank, count] : devices) next += std::exchange(count, next);  // from here on the first number of the rank
  std::vector<std::vector<int>> numbers;
  for (const NodePlan& node : plan.nodes) {
    std::vector<int>& mine = numbers.emplace_back();
    for (const int rank : node.ranks) mine.push_back(devices[rank]++);
  }
  return numbers;
}

Plan star_plan(const std::vector<int>& node_of, int max_shares, std::uint64_t chunk_bytes, std::uint64_t slot_bytes) {
  return star_plan(JobShape{node_of, {}}, max_shares, chunk_bytes, slot_bytes);
}

Plan star_plan(const JobShape& job, int max_shares, std::uint64_t chunk_bytes, std::uint64_t slot_bytes) {
  Plan plan;
  plan.chunk_bytes = chunk_bytes;
  plan.slot_bytes = slot_bytes;
  std::size_t largest = 1;
  for (std::vector<int>& ranks : job.members()) {
    largest = std::max(largest, ranks.size());
    plan.nodes.emplace_back().ranks = std::move(ranks);
  }
  plan.shares = std::min(static_cast<int>(largest), max_shares);

  for (NodePlan& node : plan.nodes) {
    const int members = static_cast<int>(node.ranks.size());
    for (int share = 0; share < plan.shares; ++share) {
      Tree tree{share % members, std::vector<int>(node.ranks.size(), share % members)};
      tree.parent[static_cast<std::size_t>(tree.root)] = -1;
      node.trees.push_back(std::move(tree));
    }
  }
  return plan;
}

}  // namespace treering::topology
