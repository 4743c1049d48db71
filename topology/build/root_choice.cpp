#include "topology/build/root_choice.h"

#include <algorithm>

namespace treering::topology {

namespace {
std::size_t index(int value) { return static_cast<std::size_t>(value); }
}  // namespace

std::vector<int> choose_roots(const PairGraph& graph, const std::vector<WeightedTree>& trees,
                              const std::vector<int>& preferred) {
  std::vector<std::vector<int>> reach;
  int highest = 0;
  for (const WeightedTree& tree : trees) {
    reach.push_back(eccentricities(graph.members(), graph.edges(tree.pairs)));
    highest = std::max(highest, std::ranges::min(reach.back()));
  }
  std::vector<Rational> rooted(index(graph.members()));
  std::vector<int> roots;
  for (std::size_t tree = 0; tree < trees.size(); ++tree) {
    std::vector<int> candidates;
    for (const int member : preferred)
      if (reach[tree][index(member)] <= highest) candidates.push_back(member);
    if (candidates.empty()) {
      const int least = std::ranges::min(reach[tree]);
      for (int member = 0; member < graph.members(); ++member)
        if (reach[tree][index(member)] == least) candidates.push_back(member);
    }
    roots.push_back(*std::ranges::min_element(candidates, {}, [&](int member) { return rooted[index(member)]; }));
    rooted[index(roots.back())] += trees[tree].weight;
  }
  return roots;
}

}  // namespace treering::topology
