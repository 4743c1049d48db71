#include "topology/plan_encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

namespace treering::topology {

namespace {

constexpr std::uint8_t version = 2;
constexpr std::uint64_t unit = 64;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 46;

std::size_t index(int value) { return static_cast<std::size_t>(value); }

/// A small number that may be -1, written as one more.
void put_index(ByteWriter& writer, int value) {
  writer.put_varint(static_cast<std::uint64_t>(std::int64_t{value} + 1));
}

int get_index(ByteReader& reader) {
  const std::uint64_t value = reader.get_varint();
  if (value > static_cast<std::uint64_t>(std::numeric_limits<int>::max())) reader.fail();
  return reader.ok() ? static_cast<int>(value) - 1 : -1;
}

std::uint32_t get_weight(ByteReader& reader) {
  const std::uint64_t weight = reader.get_varint();
  if (weight > most_weight) reader.fail();
  return reader.ok() ? static_cast<std::uint32_t>(weight) : 0;
}

std::vector<Tree> get_trees(ByteReader& reader, int shares, std::size_t members) {
  std::vector<Tree> trees;
  for (int share = 0; share < shares && reader.ok(); ++share) {
    Tree tree;
    tree.root = get_index(reader);
    for (std::size_t member = 0; member < members; ++member) tree.parent.push_back(get_index(reader));
    trees.push_back(std::move(tree));
  }
  return trees;
}

NodePlan get_node(ByteReader& reader, int shares) {
  NodePlan node;
  const std::size_t members = reader.get_count();
  for (std::size_t member = 0; member < members; ++member) node.ranks.push_back(get_index(reader));
  node.trees = get_trees(reader, shares, members);
  const auto apart = reader.get<std::uint8_t>();
  if (apart > 1) reader.fail();
  if (apart == 1) node.reduce_trees = get_trees(reader, shares, members);
  return node;
}

void put_trees(ByteWriter& writer, const std::vector<Tree>& trees) {
  for (const Tree& tree : trees) {
    put_index(writer, tree.root);
    for (const int parent : tree.parent) put_index(writer, parent);
  }
}

/// Every member's way up ends at the root; it has fewer steps than there are members, or goes in a circle.
bool reaches_root(const Tree& tree, int member) {
  for (std::size_t steps = 0; steps < tree.parent.size(); ++steps) {
    if (member == tree.root) return true;
    member = tree.parent[index(member)];
  }
  return false;
}

std::string problem_of(const Tree& tree, int members) {
  if (tree.parent.size() != index(members))
    return fmt::format("a tree over {} members where there are {}", tree.parent.size(), members);
  if (tree.root < 0 || tree.root >= members) return fmt::format("root {} is none of {} members", tree.root, members);
  for (int member = 0; member < members; ++member) {
    const int parent = tree.parent[index(member)];
    if ((member == tree.root) != (parent == -1))
      return fmt::format("member {} has parent {} in the tree of root {}", member, parent, tree.root);
    if (parent < -1 || parent >= members) return fmt::format("parent {} is none of {} members", parent, members);
  }
  for (int member = 0; member < members; ++member)
    if (!reaches_root(tree, member)) return fmt::format("member {} is not under root {}", member, tree.root);
  return "";
}

/// Two equal ranks in a row are two of its devices.
std::string problem_of_member(const std::vector<int>& ranks, std::size_t member, int node, const JobShape& job) {
  const int rank = ranks[member];
  if (rank < 0 || index(rank) >= job.node_of.size() || job.node_of[index(rank)] != node)
    return fmt::format("rank {} is not on node {} of this job", rank, node);
  if (member > 0 && ranks[member - 1] > rank) return fmt::format("the ranks of node {} do not ascend", node);
  const auto devices = std::ranges::count(ranks, rank);
  if (devices != job.devices_of(index(rank)))
    return fmt::format("rank {} has {} members, but drives {} device(s)", rank, devices, job.devices_of(index(rank)));
  return "";
}

std::string problem_of_ranks(const Plan& plan, const JobShape& job) {
  std::set<int> ranks;
  for (std::size_t node = 0; node < plan.nodes.size(); ++node) {
    const std::vector<int>& members = plan.nodes[node].ranks;
    if (members.empty()) return fmt::format("node {} has no ranks", node);
    for (std::size_t i = 0; i < members.size(); ++i)
      if (std::string problem = problem_of_member(members, i, static_cast<int>(node), job); !problem.empty())
        return problem;
    ranks.insert(members.begin(), members.end());
  }
  if (ranks.size() != job.node_of.size())
    return fmt::format("it is for {} ranks, the job has {}", ranks.size(), job.node_of.size());
  return "";
}

/// To be read after the number of the node.
std::string problem_of_trees(const NodePlan& node, int shares) {
  if (node.trees.size() != index(shares)) return fmt::format(" has {} trees for {} shares", node.trees.size(), shares);
  if (!node.reduce_trees.empty() && node.reduce_trees.size() != index(shares))
    return fmt::format(" has {} trees to reduce along for {} shares", node.reduce_trees.size(), shares);
  for (const auto* trees : {&node.trees, &node.reduce_trees})
    for (const Tree& tree : *trees)
      if (std::string problem = problem_of(tree, static_cast<int>(node.ranks.size())); !problem.empty())
        return ": " + problem;
  for (std::size_t share = 0; share < node.reduce_trees.size(); ++share)
    if (node.reduce_trees[share].root != node.trees[share].root)
      return fmt::format(" reduces share {} to member {}, but its result starts at member {}", share,
                         node.reduce_trees[share].root, node.trees[share].root);
  return "";
}

std::string problem_of_weights(const Plan& plan) {
  if (plan.weights.empty()) return "";
  if (plan.weights.size() != index(plan.shares))
    return fmt::format("{} weights for {} shares", plan.weights.size(), plan.shares);
  std::uint64_t sum = 0;
  for (const std::uint32_t weight : plan.weights) {
    if (weight == 0) return "a share of weight 0";
    sum += weight;
  }
  return sum <= most_weight ? "" : fmt::format("weights that sum to {}", sum);
}

bool is_size(std::uint64_t bytes) { return bytes > 0 && bytes % unit == 0 && bytes <= most_bytes; }

}  // namespace

void encode(const Plan& plan, ByteWriter& writer) {
  writer.put(version);
  writer.put_varint(plan.chunk_bytes);
  writer.put_varint(plan.slot_bytes);
  put_index(writer, plan.shares);
  writer.put_varint(plan.weights.size());
  for (const std::uint32_t weight : plan.weights) writer.put_varint(weight);
  writer.put_varint(plan.nodes.size());
  for (const NodePlan& node : plan.nodes) {
    writer.put_varint(node.ranks.size());
    for (const int rank : node.ranks) put_index(writer, rank);
    put_trees(writer, node.trees);
    writer.put(static_cast<std::uint8_t>(node.reduce_trees.empty() ? 0 : 1));
    put_trees(writer, node.reduce_trees);
  }
}

DecodedPlan decode_plan(ByteReader& reader, const JobShape& job, int most_shares) {
  if (reader.get<std::uint8_t>() != version) return {std::nullopt, "it is of another version"};
  Plan plan;
  plan.chunk_bytes = reader.get_varint();
  plan.slot_bytes = reader.get_varint();
  plan.shares = get_index(reader);
  if (plan.shares > most_shares) return {std::nullopt, fmt::format("it has {} shares", plan.shares)};
  const std::size_t weights = reader.get_count();
  for (std::size_t share = 0; share < weights && reader.ok(); ++share) plan.weights.push_back(get_weight(reader));
  const std::size_t nodes = reader.get_count();
  for (std::size_t node = 0; node < nodes && reader.ok(); ++node) plan.nodes.push_back(get_node(reader, plan.shares));
  if (!reader.ok()) return {std::nullopt, "it is cut short or garbled"};
  std::string problem = problem_of(plan, job, most_shares);
  if (!problem.empty()) return {std::nullopt, std::move(problem)};
  return {std::move(plan), ""};
}

std::string problem_of(const Plan& plan, const JobShape& job, int most_shares) {
  if (!is_size(plan.chunk_bytes) || !is_size(plan.slot_bytes))
    return fmt::format("chunks of {} and slots of {} bytes", plan.chunk_bytes, plan.slot_bytes);
  if (plan.shares < 1 || plan.shares > most_shares)
    return fmt::format("{} shares where 1 to {} may be", plan.shares, most_shares);
  if (std::string problem = problem_of_weights(plan); !problem.empty()) return problem;
  if (std::string problem = problem_of_ranks(plan, job); !problem.empty()) return problem;
  for (std::size_t node = 0; node < plan.nodes.size(); ++node) {
    if (std::string problem = problem_of_trees(plan.nodes[node], plan.shares); !problem.empty())
      return fmt::format("node {}{}", node, problem);
  }
  return "";
}

// FNV-1a over the message that `encode` writes.
std::uint64_t stable_hash(const Plan& plan) {
  ByteWriter writer;
  encode(plan, writer);
  std::uint64_t hash = 14695981039346656037ULL;
  for (const std::byte byte : writer.take()) hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 1099511628211ULL;
  return hash;
}

}  // namespace treering::topology
