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
      : members_(graph.members), vertices_(graph.vertices), roots_(roots), strands_(index(vertices_ * vertices_)) {
    for (const Wide root : roots) demand_ = add(demand_, root);
    for (int from = 0; from < vertices_; ++from)
      for (int to = 0; to < vertices_; ++to)
        if (from != to && graph.at(from, to) > 0)
          between(from, to).push_back({multiply(scale, graph.at(from, to)), {from, to}});
  }

  /// Joins arcs in and out of the switch: first in proportion to their capacities, so that all members stay near each
  /// other, then whatever is left, at last back to where it came from (which drops both).
  void remove(int vertex) {
    for (const Pass pass : {Pass::even, Pass::rest, Pass::back}) {
      std::vector<Wide> in, out;
      for (int other = 0; other < vertices_; ++other) {
        in.push_back(capacity(other, vertex));
        out.push_back(capacity(vertex, other));
      }
      const Wide all = std::accumulate(in.begin(), in.end(), Wide{0}, add);
      for (int to = 0; to < vertices_; ++to)
        for (int from = 0; from < vertices_; ++from) {
          if ((from == to) != (pass == Pass::back)) continue;
          Wide wanted = std::min(capacity(from, vertex), capacity(vertex, to));
          if (pass == Pass::even && wanted > 0)
            wanted =
                std::min(wanted, multiply(in[index(from)], out[index(to)]) / std::max<Wide>(all - in[index(to)], 1));
          if (wanted > 0) splice(from, vertex, to, most(from, vertex, to, wanted));
        }
    }
    for (int other = 0; other < vertices_; ++other) {
      between(other, vertex).clear();
      between(vertex, other).clear();
    }
  }

  StrandedArcs take() {
    StrandedArcs result{Arcs(members_), {}};
    for (int from = 0; from < members_; ++from)
      for (int to = 0; to < members_; ++to) {
        result.arcs.at(from, to) = capacity(from, to);
        result.strands.push_back(std::move(between(from, to)));
      }
    return result;
  }

 private:
  enum class Pass { even, rest, back };

  std::vector<Strand>& between(int from, int to) { return strands_[index(from * vertices_ + to)]; }

  Wide capacity(int from, int to) const {
    Wide sum = 0;
    for (const Strand& strand : strands_[index(from * vertices_ + to)]) sum = add(sum, strand.amount);
    return sum;
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
      for (int to = 0; to < vertices_; ++to) flow.add_edge(from, to, capacity(from, to));
    for (int root = 0; root < members_; ++root) flow.add_edge(source, root, roots_[index(root)]);
    for (const int vertex : inside) flow.add_edge(source, vertex, MaxFlow::unlimited);
    for (const int vertex : outside) flow.add_edge(vertex, sink, MaxFlow::unlimited);
    return subtract(flow.run(source, sink, add(demand_, enough)), demand_);
  }

  void splice(int from, int vertex, int to, Wide amount) {
    while (amount > 0) {
      Strand& in = between(from, vertex).back();
      Strand& out = between(vertex, to).back();
      const Wide part = std::min({amount, in.amount, out.amount});
      if (from != to) append(from, to, {part, joined(in.path, out.path)});
      amount -= part;
      in.amount -= part;
      out.amount -= part;
      if (in.amount == 0) between(from, vertex).pop_back();
      if (out.amount == 0) between(vertex, to).pop_back();
    }
  }

  void append(int from, int to, Strand strand) {
    for (Strand& other : between(from, to))
      if (other.path == strand.path) {
        other.amount = add(other.amount, strand.amount);
        return;
      }
    between(from, to).push_back(std::move(strand));
  }

  /// One path after the other, without the loops that may arise.
  static std::vector<int> joined(const std::vector<int>& first, const std::vector<int>& second) {
    std::vector<int> path = first;
    for (std::size_t hop = 1; hop < second.size(); ++hop) {
      const auto seen = std::ranges::find(path, second[hop]);
      if (seen != path.end())
        path.erase(seen + 1, path.end());
      else
        path.push_back(second[hop]);
    }
    return path;
  }

  int members_, vertices_;
  std::vector<Wide> roots_;
  Wide demand_ = 0;
  std::vector<std::vector<Strand>> strands_;
};

}  // namespace

StrandedArcs remove_switches(const LinkGraph& graph, Wide scale, const std::vector<Wide>& roots) {
  Splicer splicer(graph, scale, roots);
  for (int vertex = graph.members; vertex < graph.vertices; ++vertex) splicer.remove(vertex);
  return splicer.take();
}

}  // namespace treering::topology
