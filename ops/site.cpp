#include "ops/site.h"

#include <algorithm>

#include "base/check.h"

namespace treering::ops {

namespace {

Place place_in(const topology::Plan& plan, int node, int rank, int device) {
  TREERING_CHECK(node < static_cast<int>(plan.nodes.size()), "the plan lacks this node");
  const std::vector<int>& ranks = plan.nodes[static_cast<std::size_t>(node)].ranks;
  const auto found = std::ranges::find(ranks, rank);
  TREERING_CHECK(found != ranks.end(), "the plan puts this rank on another node");
  TREERING_CHECK(device < std::ranges::count(ranks, rank), "the plan lacks a device of this rank");
  return {node, static_cast<int>(found - ranks.begin()) + device};
}

}  // namespace

Site::Site(const transport::World& world, const topology::Plan& plan, const Tunables& tunables,
           transport::NodeLink& node, int device)
    : plan_(plan),
      tunables_(tunables),
      geometry_(geometry_of(plan)),
      layout_(geometry_, tunables),
      self_(place_in(plan, world.node(), world.rank, device)),
      node_(node, plan_.nodes[static_cast<std::size_t>(self_.node)].ranks, self_.member, layout_.bytes()) {}

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
