#include "plan_shapes.h"

#include <algorithm>

#include "ops/geometry.h"

namespace treering::ops::test {

namespace {

constexpr std::uint64_t chunk = 128;

// Slots for chunks of 128 bytes.
topology::Plan with_small_slots(topology::Plan plan) {
  plan.slot_bytes = 64;
  const Geometry least = geometry_of(plan);
  plan.slot_bytes = least.slot_bytes / 64 * chunk;
  return plan;
}

}  // namespace

topology::Plan small_star(const topology::JobShape& job, int shares) {
  return with_small_slots(topology::star_plan(job, shares, chunk, 64));
}

topology::Plan small_star(const std::vector<int>& node_of, int shares) {
  return small_star(topology::JobShape{node_of, {}}, shares);
}

topology::Plan small_trees(const std::vector<int>& node_of, TreeKind kind, int shares) {
  return small_trees(topology::JobShape{node_of, {}}, kind, shares);
}

topology::Plan small_trees(const topology::JobShape& job, TreeKind kind, int shares) {
  topology::Plan plan = topology::star_plan(job, shares, chunk, 64);
  for (topology::NodePlan& node : plan.nodes) {
    const int members = static_cast<int>(node.ranks.size());
    for (topology::Tree& tree : node.trees)
      for (int place = 1; place < members; ++place) {
        const int above = kind == TreeKind::chain ? place - 1 : (place - 1) / 2;
        tree.parent[static_cast<std::size_t>((tree.root + place) % members)] = (tree.root + above) % members;
      }
  }
  return with_small_slots(std::move(plan));
}

topology::Plan apart(topology::Plan plan, TreeKind kind) {
  for (topology::NodePlan& node : plan.nodes) {
    const int members = static_cast<int>(node.ranks.size());
    for (const topology::Tree& tree : node.trees) {
      topology::Tree& up = node.reduce_trees.emplace_back();
      up = {tree.root, std::vector<int>(node.ranks.size(), -1)};
      for (int place = 1; place < members; ++place) {
        const int above = kind == TreeKind::chain ? place - 1 : (place - 1) / 2;
        up.parent[static_cast<std::size_t>((up.root - place + members) % members)] =
            (up.root - above + members) % members;
      }
    }
  }
  return with_small_slots(std::move(plan));
}

std::vector<NamedPlan> plan_shapes() {
  const std::vector<std::pair<std::string, std::vector<int>>> nodes{{"1", {0}},
                                                                    {"2", {0, 0}},
                                                                    {"3", {0, 0, 0}},
                                                                    {"4", {0, 0, 0, 0}},
                                                                    {"5", {0, 0, 0, 0, 0}},
                                                                    {"1,1", {0, 1}},
                                                                    {"2,2", {0, 0, 1, 1}},
                                                                    {"3,1", {0, 0, 0, 1}},
                                                                    {"2,2,1", {0, 0, 1, 1, 2}},
                                                                    {"1,1,1", {0, 1, 2}},
                                                                    {"1,1,1,1", {0, 1, 2, 3}},
                                                                    {"interleaved", {0, 1, 0, 1}},
                                                                    {"5,2,1", {0, 0, 0, 0, 0, 1, 1, 2}}};
  std::vector<NamedPlan> plans;
  for (const auto& [name, node_of] : nodes) {
    plans.push_back({"star " + name, small_star(node_of)});
    if (std::ranges::count(node_of, 0) < 3) continue;
    plans.push_back({"chain " + name, small_trees(node_of, TreeKind::chain)});
    plans.push_back({"binary " + name, small_trees(node_of, TreeKind::binary)});
    plans.push_back({"two shares " + name, small_trees(node_of, TreeKind::binary, 2)});
    topology::Plan uneven = small_trees(node_of, TreeKind::binary);
    for (int share = 0; share < uneven.shares; ++share)
      uneven.weights.push_back(share == 1 ? 1 : 7 + 5 * static_cast<std::uint32_t>(share));
    plans.push_back({"uneven shares " + name, uneven});
    plans.push_back(
        {"up a chain, down a tree, " + name, apart(small_trees(node_of, TreeKind::binary), TreeKind::chain)});
    plans.push_back({"up a chain, down a star, " + name, apart(small_star(node_of), TreeKind::chain)});
    plans.push_back(
        {"up a tree, down a chain, " + name, apart(small_trees(node_of, TreeKind::chain), TreeKind::binary)});
  }
  const std::vector<std::pair<std::string, topology::JobShape>> several{{"1 of 2", {{0}, {2}}},
                                                                        {"2 of 2", {{0, 0}, {2, 2}}},
                                                                        {"3,1", {{0, 0}, {3, 1}}},
                                                                        {"2,1 on two nodes", {{0, 1}, {2, 1}}},
                                                                        {"1,3 and 2,2", {{0, 1, 0, 1}, {1, 2, 3, 2}}}};
  for (const auto& [name, job] : several) {
    plans.push_back({"star, devices " + name, small_star(job)});
    plans.push_back({"chain, devices " + name, small_trees(job, TreeKind::chain)});
  }
  return plans;
}

}  // namespace treering::ops::test
