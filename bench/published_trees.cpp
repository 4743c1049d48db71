#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>

#include "bench/published_models.h"
#include "ops/simulated_forest.h"
#include "topology/build/cost.h"
#include "topology/build/evaluate.h"

/// Simulates the published comparison of trees with rings and with reducing on one device, in virtual time on the links
/// of a DGX-1V, and prints it as a table. Measures nothing.

namespace {

using treering::ops::simulate_forest;
using treering::topology::Forest;
using treering::topology::LinkGraph;
using treering::topology::Rational;

constexpr int devices = 8;
const treering::topology::CostConstants costs =
    treering::topology::default_constants(treering::topology::Fabric::nvlink);

void join(LinkGraph& graph, int a, int b, std::int64_t capacity) { graph.at(a, b) = graph.at(b, a) = capacity; }

/// Eight V100 in a hybrid cube mesh, in MB/s.
LinkGraph nvlinks(int vertices) {
  LinkGraph graph(devices, vertices);
  graph.unit = "MB/s";
  graph.bytes_per_second = 1e6;
  constexpr std::array<std::array<int, 3>, 16> links{{{0, 1, 1},
                                                      {0, 2, 1},
                                                      {0, 3, 2},
                                                      {0, 4, 2},
                                                      {1, 2, 2},
                                                      {1, 3, 1},
                                                      {1, 5, 2},
                                                      {2, 3, 2},
                                                      {2, 6, 1},
                                                      {3, 7, 1},
                                                      {4, 5, 1},
                                                      {4, 6, 1},
                                                      {4, 7, 2},
                                                      {5, 6, 2},
                                                      {5, 7, 1},
                                                      {6, 7, 2}}};
  for (const auto& [a, b, count] : links) join(graph, a, b, 25000LL * count);
  return graph;
}

/// With what else connects them: a PCIe 3.0 x16 switch for every two devices, a CPU for every two switches, and between
/// the CPUs what topology/hardware/usual_speeds.h says of Broadwell.
LinkGraph all_links() {
  LinkGraph graph = nvlinks(devices + 6);
  for (int device = 0; device < devices; ++device) join(graph, device, devices + device / 2, 15754);
  for (int bridge = 0; bridge < 4; ++bridge) join(graph, devices + bridge, devices + 4 + bridge / 2, 15754);
  join(graph, devices + 4, devices + 5, 6000);
  return graph;
}

/// Every gradient is reduced on one device, each on the one that has least so far, large ones first: stars with shares
/// in 64ths.
Forest one_device(const LinkGraph& graph, std::vector<std::uint64_t> gradients) {
  std::array<std::uint64_t, devices> load{};
  std::ranges::sort(gradients, std::greater<>());
  for (const std::uint64_t gradient : gradients) *std::ranges::min_element(load) += gradient;
  const std::uint64_t all = std::accumulate(load.begin(), load.end(), std::uint64_t{0});
  std::array<std::int64_t, devices> parts{};
  for (std::size_t i = 0; i < load.size(); ++i) parts[i] = static_cast<std::int64_t>((load[i] * 64 + all / 2) / all);
  const std::int64_t sum = std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
  Forest forest;
  for (int root = 0; root < devices; ++root) {
    const std::int64_t part = parts[static_cast<std::size_t>(root)];
    if (part == 0) continue;
    std::vector<int> parent(devices, root);
    parent[static_cast<std::size_t>(root)] = -1;
    forest.trees.push_back({root, Rational::of(part, sum), parent, {}});
    forest.trees.back().route.resize(devices);
  }
  const treering::ops::NodeLinks links = treering::ops::node_links(graph);
  for (auto& tree : forest.trees)
    for (int member = 0; member < devices; ++member)
      if (member != tree.root) tree.route[static_cast<std::size_t>(member)] = links.routes.at({tree.root, member})[0];
  evaluate(graph, forest);
  return forest;
}

double milliseconds(const LinkGraph& graph, const Forest& forest, std::uint64_t elements, bool exact_shares = false) {
  const auto run = simulate_forest(graph, forest, 4 * elements, costs, exact_shares);
  for (const std::string& problem : run.simulation.problems) fmt::print(stderr, "{}\n", problem);
  return static_cast<double>(run.simulation.finish) * 1e-6;
}

/// All gradients one after the other.
double in_turn(const LinkGraph& graph, const Forest& forest, const std::vector<std::uint64_t>& gradients) {
  std::map<std::uint64_t, double> known;
  double sum = 0;
  for (const std::uint64_t gradient : gradients) {
    const auto [place, is_new] = known.try_emplace(gradient);
    if (is_new) place->second = milliseconds(graph, forest, gradient);
    sum += place->second;
  }
  return sum;
}

void row(const bench::PublishedModel& model) {
  const LinkGraph fast = nvlinks(devices), mixed = all_links();
  const Forest binomial = build_forest("binomial", fast), packed = build_forest("packed", fast);
  const Forest ring = build_forest("ring", fast);
  const std::uint64_t all = std::accumulate(model.gradients.begin(), model.gradients.end(), std::uint64_t{0});
  const double trees = milliseconds(fast, binomial, all), best = milliseconds(fast, packed, all);
  const double rings = milliseconds(fast, ring, all);
  const double one = milliseconds(mixed, one_device(mixed, model.gradients), all, true);
  const double trees_turn = in_turn(fast, binomial, model.gradients), rings_turn = in_turn(fast, ring, model.gradients);
  fmt::print(
      "| {} | {:.2f} | {:.2f} | {:.2f} | {:.1f} | {:.1f} | {:.1f} | {:.2f} | {:.2f} | {:.2f} | {:.1f} | {:.2f} |\n",
      model.name, trees, best, rings, one, trees_turn, rings_turn, rings / trees, rings_turn / trees_turn,
      model.over_rings, one / trees, model.over_one_device);
}

}  // namespace

int main() {
  fmt::print(
      "| model | `binomial` | `packed` | `ring` | one device | `binomial` in turn | `ring` in turn "
      "| over rings | over rings in turn | published | over one device | published |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const bench::PublishedModel& model : bench::published_models()) row(model);
}
