#include "topology/build/connect.h"

#include <algorithm>
#include <limits>

namespace treering::topology {

namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

std::vector<bool> reached_from(const LinkGraph& graph, int start) {
  std::vector<bool> reached(index(graph.vertices));
  reached[index(start)] = true;
  std::vector<int> queue{start};
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (int to = 0; to < graph.vertices; ++to)
      if (!reached[index(to)] && graph.at(queue[head], to) > 0) {
        reached[index(to)] = true;
        queue.push_back(to);
      }
  return reached;
}

}  // namespace

std::vector<std::vector<int>> connected_groups(const LinkGraph& graph) {
  std::vector<std::vector<bool>> reached;
  for (int member = 0; member < graph.members; ++member) reached.push_back(reached_from(graph, member));
  std::vector<std::vector<int>> groups;
  for (int member = 0; member < graph.members; ++member) {
    const auto home = std::ranges::find_if(groups, [&](const std::vector<int>& group) {
      return reached[index(group[0])][index(member)] && reached[index(member)][index(group[0])];
    });
    if (home == groups.end())
      groups.push_back({member});
    else
      home->push_back(member);
  }
  return groups;
}

LinkGraph with_assumed_links(const LinkGraph& graph, const std::vector<std::vector<int>>& groups) {
  LinkGraph result = graph;
  const std::int64_t largest = graph.capacity.empty() ? 0 : *std::ranges::max_element(graph.capacity);
  if (largest <= std::numeric_limits<std::int64_t>::max() / std::max(graph.members, 1))
    for (std::int64_t& capacity : result.capacity) capacity *= graph.members;
  for (const auto& here : groups)
    for (const auto& there : groups)
      for (const int from : here)
        for (const int to : there)
          if (&here != &there) result.at(from, to) = std::max<std::int64_t>(result.at(from, to), 1);
  return result;
}

}  // namespace treering::topology
