#include "ops/site.h"

#include <algorithm>

#include "base/check.h"

namespace treering::ops {

namespace {

Place place_in(const topology::Plan& plan, int node, int rank) {
  TREERING_CHECK(node < static_cast<int>(plan.nodes.size()), "the plan lacks this node");
  const std::vector<int>& ranks = plan.nodes[static_cast<std::size_t>(node)].ranks;
  const auto found = std::ranges::find(ranks, rank);
  TREERING_CHECK(found != ranks.end(), "the plan puts this rank on another node");
  return {node, static_cast<int>(found - ranks.begin())};
}

}  // namespace

Site::Site(const transport::World& world, const topology::Plan& plan, const Tunables& tunables,
           transport::NodeLink& node)
    : plan_(plan),
      tunables_(tunables),
      geometry_(geometry_of(plan)),
      layout_(geometry_, tunables),
      node_(node),
      self_(place_in(plan, world.node(), world.rank)) {
  TREERING_CHECK(node.self() == self_.member && node.size() == static_cast<int>(ranks().size()),
                 "plan and node link must number the members alike");
}

void Site::waits_for_lane(bool waits) const {
  layout_.waits_for_lane(node_.area(self_.member)).store(waits ? 1 : 0, std::memory_order_seq_cst);
}

// Sequentially consistent on both sides: either the waiter sees the counter or we see its word.
void Site::finish(std::uint32_t lane, std::uint64_t value) const {
  finished(self_.member, lane).store(value, std::memory_order_seq_cst);
  for (int member = 0; member < members(); ++member)
    if (member != self_.member && layout_.waits_for_lane(node_.area(member)).load(std::memory_order_seq_cst) != 0)
      node_.ring(member);
}

void Site::ring_others() const {
  for (int member = 0; member < members(); ++member)
    if (member != self_.member) node_.ring(member);
}

}  // namespace treering::ops
