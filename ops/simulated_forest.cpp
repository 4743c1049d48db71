#include "ops/simulated_forest.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "topology/build/forest_plan.h"

namespace treering::ops {

namespace {

using topology::Forest;
using topology::LinkGraph;
using topology::Tree;

constexpr std::uint64_t unit = 64;
constexpr std::uint64_t most_shares = 128;
constexpr std::uint64_t most_chunks = 256;
constexpr std::uint64_t most_work = 1 << 18;  // chunks of all shares and members, so that it takes a second or so

/// None if that would be too many, unless they may be rounded.
std::vector<Tree> by_weight(const Forest& forest, bool round) {
  const topology::WeightedTrees weighted =
      round ? topology::weighted_trees(forest, most_shares) : topology::weighted_trees(forest);
  std::vector<Tree> trees;
  if (!round && std::accumulate(weighted.weights.begin(), weighted.weights.end(), std::uint64_t{0}) > most_shares)
    return trees;
  for (std::size_t i = 0; i < weighted.trees.size(); ++i)
    trees.insert(trees.end(), weighted.weights[i], weighted.trees[i]);
  return trees;
}

ForestRun best_chunks(const Machine& machine, std::vector<Tree> trees, std::uint64_t bytes) {
  topology::Plan plan;
  topology::NodePlan& node = plan.nodes.emplace_back();
  node.ranks.resize(trees.front().parent.size());
  std::iota(node.ranks.begin(), node.ranks.end(), 0);
  const std::uint64_t shares = trees.size(), members = node.ranks.size(), least = machine.inside.least_chunk_bytes;
  const std::uint64_t places = 2 * members + 4;  // no less than a chunk has in trees of any height
  plan.shares = static_cast<int>(shares);
  node.trees = std::move(trees);
  BatchShape shape;
  shape.bytes = bytes;
  ForestRun best;
  for (std::uint64_t chunks = 1; chunks <= most_chunks && (chunks <= 8 || chunks * shares * members <= most_work);
       chunks *= 2) {
    plan.chunk_bytes = std::max((bytes / shares / chunks + unit) / unit * unit, least);
    plan.slot_bytes = plan.chunk_bytes * shares * places;
    Simulation simulation = simulate(plan, machine, shape);
    const bool better = best.shares == 0 || simulation.finish < best.simulation.finish;
    if (better) best = {std::move(simulation), plan.shares, plan.chunk_bytes};
    if (plan.chunk_bytes == least) break;
  }
  return best;
}

}  // namespace

ForestRun simulate_forest(const LinkGraph& graph, const Forest& forest, std::uint64_t bytes,
                          const topology::CostConstants& constants, bool exact_shares) {
  const Machine machine{{node_links(graph, &forest)}, constants, 0, 0};
  std::vector<Tree> trees = by_weight(forest, exact_shares);
  ForestRun weighted;
  if (!trees.empty()) weighted = best_chunks(machine, std::move(trees), bytes);
  if (exact_shares) return weighted;
  ForestRun equal = best_chunks(machine, topology::equal_share_trees(graph, forest, graph.members), bytes);
  return weighted.shares > 0 && weighted.simulation.finish < equal.simulation.finish ? weighted : equal;
}

}  // namespace treering::ops
