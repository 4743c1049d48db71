#include "topology/build/host_forest.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "topology/build/evaluate.h"
#include "topology/build/pair_graph.h"
#include "topology/build/route_trees.h"
#include "topology/plan.h"

namespace treering::topology {

namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

/// What every member has to do in the trees so far.
class Duties {
 public:
  explicit Duties(std::size_t members) : sources_(members), roots_(members) {}

  /// The member of `among` that has reduced least.
  int least(const std::vector<int>& among) const {
    return *std::ranges::min_element(
        among, {}, [this](int member) { return std::tuple(sources_[index(member)], roots_[index(member)], member); });
  }
  void add(const Tree& tree) {
    ++roots_[index(tree.root)];
    for (const int parent : tree.parent)
      if (parent >= 0) ++sources_[index(parent)];
  }

 private:
  std::vector<int> sources_, roots_;
};

Tree two_levels(const std::vector<std::vector<int>>& groups, int root, std::size_t members, const Duties& duties) {
  Tree tree{root, std::vector<int>(members, -1)};
  for (const std::vector<int>& group : groups) {
    const bool own = std::ranges::find(group, root) != group.end();
    const int joiner = own ? root : duties.least(group);
    for (const int member : group) tree.parent[index(member)] = joiner;
    if (!own) tree.parent[index(joiner)] = root;
  }
  tree.parent[index(root)] = -1;
  return tree;
}

Forest forest_of(const LinkGraph& graph, const char* name, const std::vector<Tree>& trees) {
  Forest forest;
  forest.builder = name;
  const Rational share = Rational::of(1, static_cast<Wide>(trees.size()));
  for (const Tree& tree : trees) forest.trees.push_back({tree.root, share, tree.parent, {}});
  route_along(routed_pairs(graph), forest.trees);
  evaluate(graph, forest);
  return forest;
}

}  // namespace

int HostPlaces::domains() const { return domain.empty() ? 0 : *std::ranges::max_element(domain) + 1; }

LinkGraph host_links(const HostPlaces& places) {
  const int members = static_cast<int>(places.domain.size()), domains = places.domains();
  LinkGraph graph(members, members + domains);
  for (int member = 0; member < members; ++member) {
    const int memory = members + places.domain[index(member)];
    graph.at(member, memory) = graph.at(memory, member) = usual_copy_speed;
  }
  for (int from = 0; from < domains; ++from)
    for (int to = 0; to < domains; ++to)
      if (from != to) graph.at(members + from, members + to) = places.bus[index(from * domains + to)];
  graph.unit = "MB/s";
  graph.bytes_per_second = 1e6;
  return graph;
}

Forest host_stars(const LinkGraph& graph, int shares) {
  std::vector<Tree> trees;
  for (int share = 0; share < shares; ++share) {
    Tree tree{share % graph.members, std::vector<int>(index(graph.members), share % graph.members)};
    tree.parent[index(tree.root)] = -1;
    trees.push_back(std::move(tree));
  }
  return forest_of(graph, "star", trees);
}

Forest two_level_forest(const LinkGraph& graph, const std::vector<int>& group, int shares) {
  std::vector<std::vector<int>> groups(index(*std::ranges::max_element(group) + 1));
  std::vector<int> all;
  for (int member = 0; member < graph.members; ++member) {
    groups[index(group[index(member)])].push_back(member);
    all.push_back(member);
  }
  Duties duties(all.size());
  std::vector<Tree> trees;
  for (int share = 0; share < shares; ++share) {
    trees.push_back(two_levels(groups, duties.least(all), all.size(), duties));
    duties.add(trees.back());
  }
  return forest_of(graph, "two-level", trees);
}

std::vector<int> square_groups(const std::vector<int>& domain) {
  const auto side = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(domain.size()))));
  std::vector<int> group(domain.size());
  int next = 0;
  for (int here = 0; here <= std::ranges::max(domain); ++here) {
    std::size_t taken = 0;
    for (std::size_t member = 0; member < domain.size(); ++member)
      if (domain[member] == here) group[member] = next + static_cast<int>(taken++ / side);
    next += static_cast<int>((taken + side - 1) / side);
  }
  return group;
}

}  // namespace treering::topology
