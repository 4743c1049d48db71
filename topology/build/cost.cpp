#include "topology/build/cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "topology/build/tree_shape.h"

namespace treering::topology {

namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

struct Rates {
  const LinkGraph& graph;
  const CostConstants& constants;

  double unit() const { return graph.bytes_per_second > 0 ? graph.bytes_per_second : constants.unit_bytes_per_second; }
  double seconds_per_byte(const std::vector<int>& route, bool backwards) const {
    double slowest = 0;
    for (std::size_t hop = 1; hop < route.size(); ++hop) {
      const std::int64_t capacity =
          backwards ? graph.at(route[hop], route[hop - 1]) : graph.at(route[hop - 1], route[hop]);
      slowest = std::max(slowest, 1 / (static_cast<double>(capacity) * unit()));
    }
    return slowest;
  }
};

/// Bytes that each member adds per byte of data.
std::vector<double> reduced_part(const std::vector<ForestTree>& trees) {
  std::vector<double> part(trees.empty() ? 0 : trees[0].parent.size());
  for (const ForestTree& tree : trees)
    for (const int parent : tree.parent)
      if (parent >= 0) part[index(parent)] += tree.share.value();
  return part;
}

/// Seconds per byte of a tree's own data along its slowest way from the root, one way.
double slowest_way(const ForestTree& tree, const Rates& rates, bool upward) {
  std::vector<int> children(tree.parent.size());
  for (const int parent : tree.parent)
    if (parent >= 0) ++children[index(parent)];
  double slowest = 0;
  for (std::size_t member = 0; member < tree.parent.size(); ++member) {
    double way = 0;
    for (int at = static_cast<int>(member); tree.parent[index(at)] >= 0; at = tree.parent[index(at)]) {
      way += rates.seconds_per_byte(tree.route[index(at)], upward);
      if (upward) way += children[index(tree.parent[index(at)])] / rates.constants.reduce_bytes_per_second;
    }
    slowest = std::max(slowest, way);
  }
  return slowest;
}

double slowest_tree(const std::vector<ForestTree>& trees, const Rates& rates, bool upward) {
  double slowest = 0;
  for (const ForestTree& tree : trees)
    slowest = std::max(slowest, tree.share.value() * slowest_way(tree, rates, upward));
  return slowest;
}

std::string milliseconds(double seconds) { return fmt::format("{:.3f} ms", seconds * 1e3); }

}  // namespace

CostConstants default_constants(Fabric fabric) {
  switch (fabric) {
    case Fabric::nvlink: return {3e-6, 2e-6, 300e9, 25e9, 64 * 1024};
    case Fabric::xgmi: return {4e-6, 2e-6, 250e9, 50e9, 64 * 1024};
    case Fabric::pcie: return {6e-6, 2e-6, 200e9, 1e6, 128 * 1024};
    case Fabric::shared_memory: return {1e-6, 0.3e-6, 8e9, 1e6, 64 * 1024};
    case Fabric::network: return {20e-6, 1e-6, 8e9, 1e6, 256 * 1024};
  }
  return {};
}

int instructions_per_chunk(const Forest& forest) {
  if (forest.trees.empty()) return 0;
  const auto& up = forest.reduce_trees.empty() ? forest.trees : forest.reduce_trees;
  std::vector<int> count(forest.trees[0].parent.size(), static_cast<int>(up.size()));
  for (const ForestTree& tree : forest.trees)
    for (std::size_t member = 0; member < count.size(); ++member) count[member] += tree.parent[member] >= 0;
  return std::ranges::max(count);
}

Prediction predict(const LinkGraph& graph, const Forest& forest, std::uint64_t bytes, const CostConstants& constants) {
  const Rates rates{graph, constants};
  Prediction best;
  if (graph.members < 2) best.seconds = 0;
  if (graph.members < 2 || forest.allreduce_rate <= Rational(0) || rates.unit() <= 0) return best;

  const auto& up = forest.reduce_trees.empty() ? forest.trees : forest.reduce_trees;
  const double size = static_cast<double>(bytes), link = 1 / (forest.allreduce_rate.value() * rates.unit());
  const double reduction = std::ranges::max(reduced_part(up)) / constants.reduce_bytes_per_second;
  const double steady = size * std::max(link, reduction);
  const double path = size * (slowest_tree(up, rates, true) + slowest_tree(forest.trees, rates, false));
  const double hops = 2 * forest.height * constants.hop_seconds;
  const double launches = instructions_per_chunk(forest) * constants.launch_seconds;

  const double most = std::max(1.0, size / static_cast<double>(constants.least_chunk_bytes));
  for (double chunks = 1; chunks <= most; chunks = std::ceil(chunks * 1.1)) {
    const double unhidden = std::max(launches - steady / chunks, 0.0);
    const double latency = hops + launches + (chunks - 1) * unhidden;
    const double flow = std::max(path / chunks + steady * (chunks - 1) / chunks, steady);
    if (latency + flow >= best.seconds) continue;
    best = {latency + flow, static_cast<std::int64_t>(chunks), latency, steady, reduction > link};
  }
  return best;
}

Choice choose(const LinkGraph& graph, const std::vector<Forest>& forests, std::uint64_t bytes,
              const CostConstants& constants) {
  Choice choice;
  for (const Forest& forest : forests) choice.predictions.push_back(predict(graph, forest, bytes, constants));
  const auto time = [&](std::size_t i) { return choice.predictions[i].seconds; };
  for (std::size_t i = 1; i < forests.size(); ++i)
    if (time(i) < time(choice.forest)) choice.forest = i;
  const Prediction& best = choice.predictions[choice.forest];
  const bool latency = best.latency_seconds > best.bandwidth_seconds;
  choice.why = fmt::format("{} bytes: {} in {} ({} chunks, {} launches and hops, {} on the {})", bytes,
                           forests[choice.forest].builder, milliseconds(best.seconds), best.chunks,
                           milliseconds(best.latency_seconds), milliseconds(best.bandwidth_seconds),
                           best.reduction_bound ? "busiest reducer" : "fullest link");
  choice.why += latency ? "; latency decides" : "; bandwidth decides";
  for (std::size_t i = 0; i < forests.size(); ++i)
    if (i != choice.forest) choice.why += fmt::format("; {} {}", forests[i].builder, milliseconds(time(i)));
  return choice;
}

}  // namespace treering::topology
