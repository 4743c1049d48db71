#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "topology/build/rational.h"
#include "topology/link_graph.h"

namespace treering::topology::test {

/// Optimum of an allreduce over symmetric direct links by trying every partition of the members (Tutte, Nash-Williams).
inline Rational partition_oracle(const LinkGraph& graph) {
  std::vector<int> part(static_cast<std::size_t>(graph.members));
  Rational best = -1;
  const std::function<void(int, int)> assign = [&](int member, int parts) {
    if (member == graph.members) {
      if (parts < 2) return;
      std::int64_t crossing = 0;
      for (int a = 0; a < graph.members; ++a)
        for (int b = a + 1; b < graph.members; ++b)
          if (part[static_cast<std::size_t>(a)] != part[static_cast<std::size_t>(b)]) crossing += graph.at(a, b);
      const Rational rate = Rational::of(crossing, parts - 1);
      if (best < Rational(0) || rate < best) best = rate;
      return;
    }
    for (int choice = 0; choice <= parts; ++choice) {
      part[static_cast<std::size_t>(member)] = choice;
      assign(member + 1, std::max(parts, choice + 1));
    }
  };
  assign(0, 0);
  return best;
}

/// Optimum of an equal allgather by trying every set of vertices.
inline Rational cut_oracle(const LinkGraph& graph) {
  Rational best = -1;
  for (unsigned set = 1; set < 1u << graph.vertices; ++set) {
    std::int64_t inside = 0, leaving = 0;
    for (int a = 0; a < graph.vertices; ++a) {
      if ((set >> a & 1) == 0) continue;
      inside += a < graph.members;
      for (int b = 0; b < graph.vertices; ++b)
        if ((set >> b & 1) == 0) leaving += graph.at(a, b);
    }
    if (inside == 0 || inside == graph.members) continue;
    const Rational rate = Rational::of(leaving, inside) * Rational(graph.members);
    if (best < Rational(0) || rate < best) best = rate;
  }
  return best;
}

/// Every labelled tree over the members as parents under `root` (by Pruefer sequences).
inline void for_every_tree(int members, int root, const std::function<void(const std::vector<int>&)>& visit) {
  std::vector<int> code(static_cast<std::size_t>(std::max(members - 2, 0)));
  const std::function<void(std::size_t)> choose = [&](std::size_t at) {
    if (at < code.size()) {
      for (code[at] = 0; code[at] < members; ++code[at]) choose(at + 1);
      return;
    }
    std::vector<int> degree(static_cast<std::size_t>(members), 1);
    for (const int member : code) ++degree[static_cast<std::size_t>(member)];
    std::vector<std::vector<int>> near(static_cast<std::size_t>(members));
    const auto link = [&](int a, int b) {
      near[static_cast<std::size_t>(a)].push_back(b);
      near[static_cast<std::size_t>(b)].push_back(a);
      --degree[static_cast<std::size_t>(a)];
      --degree[static_cast<std::size_t>(b)];
    };
    for (const int member : code) link(static_cast<int>(std::ranges::find(degree, 1) - degree.begin()), member);
    const auto first = std::ranges::find(degree, 1), second = std::find(first + 1, degree.end(), 1);
    link(static_cast<int>(first - degree.begin()), static_cast<int>(second - degree.begin()));
    std::vector<int> parent(static_cast<std::size_t>(members), -1), stack{root};
    while (!stack.empty()) {
      const int member = stack.back();
      stack.pop_back();
      for (const int next : near[static_cast<std::size_t>(member)])
        if (next != parent[static_cast<std::size_t>(member)]) {
          parent[static_cast<std::size_t>(next)] = member;
          stack.push_back(next);
        }
    }
    visit(parent);
  };
  choose(0);
}

}  // namespace treering::topology::test
