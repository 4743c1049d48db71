#include "topology/build/even_removal.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "topology/build/partition_bound.h"

namespace treering::topology {

namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

std::int64_t narrow(Wide value) {
  if (value > std::numeric_limits<std::int64_t>::max()) throw Overflow();
  return static_cast<std::int64_t>(value);
}

/// Room for amounts that are fractions of the capacities: the rate's denominator, and equal parts for all other
/// members.
Wide scale_for(const LinkGraph& graph, const Rational& rate) {
  Wide scale = multiply(2, rate.denominator());
  for (int parts = 2; parts < std::min(graph.vertices, 16); ++parts)
    scale = multiply(scale, parts / greatest_common_divisor(scale, parts));
  return scale;
}

class EvenSplicer {
 public:
  EvenSplicer(const LinkGraph& graph, const Rational& rate)
      : scale_(scale_for(graph, rate)), rate_(rate * Rational::of(scale_, 1)), left_(graph), strands_(graph.vertices) {
    for (int a = 0; a < graph.vertices; ++a)
      for (int b = 0; b < graph.vertices; ++b) {
        left_.at(a, b) = narrow(multiply(scale_, graph.at(a, b)));
        if (graph.at(a, b) > 0) strands_.put(a, b, {left_.at(a, b), {a, b}});
      }
  }

  /// In proportion first, so that all members stay near each other, then what is left.
  void remove(int vertex) {
    for (const bool even : {true, false}) {
      std::vector<Wide> port;
      for (int other = 0; other < left_.vertices; ++other) port.push_back(left_.at(other, vertex));
      const Wide all = std::accumulate(port.begin(), port.end(), Wide{0}, add);
      for (int a = 0; a < left_.vertices; ++a)
        for (int b = a + 1; b < left_.vertices; ++b) {
          Wide wanted = std::min(left_.at(a, vertex), left_.at(b, vertex));
          if (wanted == 0) continue;
          const Wide others = std::max<Wide>(all - std::min(port[index(a)], port[index(b)]), 1);
          if (even) wanted = std::min(wanted, multiply(port[index(a)], port[index(b)]) / others);
          apply(a, vertex, b, narrow(most(a, vertex, b, narrow(wanted))));
        }
    }
    for (int other = 0; other < left_.vertices; ++other) left_.at(other, vertex) = left_.at(vertex, other) = 0;
  }

  StrandedPairs take() {
    std::vector<Pair> pairs;
    Strands strands(left_.members);
    for (int a = 0; a < left_.members; ++a)
      for (int b = a + 1; b < left_.members; ++b) {
        if (left_.at(a, b) > 0) pairs.push_back({a, b, left_.at(a, b)});
        for (const Strand& strand : strands_.between(a, b)) strands.put(a, b, strand);
      }
    return {PairGraph(left_.members, std::move(pairs)), std::move(strands), scale_};
  }

 private:
  static void move(LinkGraph& graph, int a, int vertex, int b, std::int64_t amount) {
    for (const int end : {a, b}) {
      graph.at(end, vertex) -= amount;
      graph.at(vertex, end) -= amount;
    }
    graph.at(a, b) += amount;
    graph.at(b, a) += amount;
  }

  void apply(int a, int vertex, int b, std::int64_t amount) {
    if (amount <= 0) return;
    move(left_, a, vertex, b, amount);
    strands_.splice(a, vertex, b, amount);
    strands_.splice(b, vertex, a, amount);
  }

  /// Each cut that separates the switch from both ends loses two links' worth; other cuts lose nothing.
  Wide most(int a, int vertex, int b, std::int64_t amount) const {
    while (amount > 0) {
      LinkGraph after = left_;
      move(after, a, vertex, b, amount);
      const Partition worst = tightest_partition(after, rate_);
      if (worst.parts.size() < 2 || worst.rate() >= rate_) return amount;
      Wide lost = 0;
      for (const std::vector<bool>& cut : worst.cuts)
        if (cut[index(a)] == cut[index(b)] && cut[index(a)] != cut[index(vertex)]) lost += 2;
      if (lost == 0) return 0;
      const Rational needed = rate_ * Rational(2 * (static_cast<std::int64_t>(worst.parts.size()) - 1));
      const Rational excess = (needed - Rational::of(worst.leaving, 1)) / Rational::of(lost, 1);
      amount -= narrow((excess.numerator() + excess.denominator() - 1) / excess.denominator());
    }
    return 0;
  }

  Wide scale_;
  Rational rate_;
  LinkGraph left_;
  Strands strands_;
};

}  // namespace

std::optional<StrandedPairs> remove_switches_evenly(const LinkGraph& graph, const Rational& rate) {
  for (int a = 0; a < graph.vertices; ++a)
    for (int b = 0; b < graph.vertices; ++b)
      if (graph.at(a, b) != graph.at(b, a)) return std::nullopt;
  EvenSplicer splicer(graph, rate);
  for (int vertex = graph.members; vertex < graph.vertices; ++vertex) splicer.remove(vertex);
  return splicer.take();
}

}  // namespace treering::topology
