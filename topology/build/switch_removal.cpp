#include "topology/build/switch_removal.h"

#include <algorithm>
#include <numeric>

#include "topology/build/max_flow.h"

namespace treering::topology {

namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

class Splicer {
 public:
  Splicer(const LinkGraph& graph, Wide scale, const std::vector<Wide>& roots)
      : members_(graph.members), vertices_(graph.vertices), roots_(roots), strands_(graph.vertices) {
    for (const Wide root : roots) demand_ = add(demand_, root);
    for (int from = 0; from < vertices_; ++from)
      for (int to = 0; to < vertices_; ++to)
        if (from != to && graph.at(from, to) > 0)
          strands_.put(from, to, {multiply(scale, graph.at(from, to)), {from, to}});
  }

  /// Joins arcs in and out of the switch: first in proportion to their capacities, so that all members stay near each
  /// other, then whatever is left.
  void remove(int vertex) {
    for (const bool even : {true, false}) {
      std::vector<Wide> in, out;
      for (int other = 0; other < vertices_; ++other) {
        in.push_back(strands_.capacity(other, vertex));
        out.push_back(strands_.capacity(vertex, other));
      }
      const Wide all = std::accumulate(in.begin(), in.end(), Wide{0}, add);
      for (int to = 0; to < vertices_; ++to)
        for (int from = 0; from < vertices_; ++from) {
          Wide wanted = std::min(strands_.capacity(from, vertex), strands_.capacity(vertex, to));
          if (from == to || wanted == 0) continue;
          const Wide others = std::max<Wide>(all - in[index(to)], 1);
          if (even) wanted = std::min(wanted, multiply(in[index(from)], out[index(to)]) / others);
          strands_.splice(from, vertex, to, most(from, vertex, to, wanted));
        }
    }
    while (drop(vertex)) {
    }
  }

  StrandedArcs take() {
    StrandedArcs result{Arcs(members_), Strands(members_)};
    for (int from = 0; from < members_; ++from)
      for (int to = 0; to < members_; ++to) {
        result.arcs.at(from, to) = strands_.capacity(from, to);
        for (const Strand& strand : strands_.between(from, to)) result.strands.put(from, to, strand);
      }
    return result;
  }

 private:
  /// What could not be spliced must not be in the way of later flows.
  bool drop(int vertex) {
    bool dropped = false;
    for (int other = 0; other < vertices_; ++other) {
      for (const auto& [from, to] : {std::pair{other, vertex}, std::pair{vertex, other}}) {
        if (strands_.between(from, to).empty()) continue;
        strands_.take(from, to, strands_.capacity(from, to));
        dropped = true;
      }
    }
    return dropped;
  }

  /// Splicing takes from exactly the cuts that separate the switch from both ends: the least slack among those decides.
  Wide most(int from, int vertex, int to, Wide amount) const {
    for (int target = 0; target < members_ && amount > 0; ++target) {
      if (target != from && target != to) amount = std::min(amount, slack({from, to}, {vertex, target}, amount));
      amount = std::min(amount, slack({vertex}, {from, to, target}, amount));
    }
    return amount;
  }

  /// Capacity beyond the demand of the least cut with all roots and `inside` on one side and `outside` on the other.
  Wide slack(const std::vector<int>& inside, const std::vector<int>& outside, Wide enough) const {
    const int source = vertices_, sink = vertices_ + 1;
    MaxFlow flow(vertices_ + 2);
    for (int from = 0; from < vertices_; ++from)
      for (int to = 0; to < vertices_; ++to) flow.add_edge(from, to, strands_.capacity(from, to));
    for (int root = 0; root < members_; ++root) flow.add_edge(source, root, roots_[index(root)]);
    for (const int vertex : inside) flow.add_edge(source, vertex, MaxFlow::unlimited);
    for (const int vertex : outside) flow.add_edge(vertex, sink, MaxFlow::unlimited);
    return subtract(flow.run(source, sink, add(demand_, enough)), demand_);
  }

  int members_, vertices_;
  std::vector<Wide> roots_;
  Wide demand_ = 0;
  Strands strands_;
};

}  // namespace

StrandedArcs remove_switches(const LinkGraph& graph, Wide scale, const std::vector<Wide>& roots) {
  Splicer splicer(graph, scale, roots);
  for (int vertex = graph.members; vertex < graph.vertices; ++vertex) splicer.remove(vertex);
  return splicer.take();
}

}  // namespace treering::topology
