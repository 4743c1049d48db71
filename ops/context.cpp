#include "ops/context.h"

#include <algorithm>

namespace treering::ops {

namespace {

int members_of(const topology::Plan& plan) {
  std::size_t count = 0;
  for (const topology::NodePlan& node : plan.nodes) count += node.ranks.size();
  return static_cast<int>(count);
}

}  // namespace

Context::Context(const topology::Plan& the_plan, const Geometry& the_geometry, const BatchShape& the_shape,
                 Place the_self)
    : plan(the_plan),
      geometry(the_geometry),
      shape(the_shape),
      self(the_self),
      sharing(share_out(the_geometry, the_shape.bytes)),
      arithmetic(arithmetic_of(the_shape, members_of(the_plan))),
      counters(the_geometry.counters()) {}

std::vector<int> Context::others() const {
  std::vector<int> result;
  for (int member = 0; member < members(); ++member)
    if (member != self.member) result.push_back(member);
  return result;
}

std::vector<int> Context::children_in(const topology::Tree& tree, int member) {
  std::vector<int> result;
  const std::vector<int>& parents = tree.parent;
  for (std::size_t child = 0; child < parents.size(); ++child)
    if (parents[child] == member) result.push_back(static_cast<int>(child));
  return result;
}

std::vector<int> Context::owners() const {
  std::vector<int> result;
  for (int share = 0; share < sharing.active; ++share) result.push_back(tree(share).root);
  std::ranges::sort(result);
  result.erase(std::ranges::unique(result).begin(), result.end());
  return result;
}

int Context::root_rank(int node_index, int share) const {
  const topology::NodePlan& other = plan.nodes[static_cast<std::size_t>(node_index)];
  const int root = other.trees[static_cast<std::size_t>(share)].root;
  return other.ranks[static_cast<std::size_t>(root)];
}

int Context::unroll() const {
  if (!crosses() || exchanges()) return 1;
  return geometry.order(shape.deterministic) == CrossOrder::ring ? geometry.nodes : 1;
}

std::uint64_t Context::groups() const {
  const auto width = static_cast<std::uint64_t>(unroll());
  return (sharing.chunks + width - 1) / width;
}

}  // namespace treering::ops
