#pragma once

#include <vector>

#include "base/tunables.h"
#include "ops/area.h"
#include "ops/batch_shape.h"
#include "ops/member_link.h"
#include "topology/plan.h"
#include "transport/node_link.h"
#include "transport/world.h"

namespace treering::ops {

/// Where one of this rank's members stands in the job and in its node's shared memory: what all its lanes have in
/// common.
class Site {
 public:
  Site(const transport::World& world, const topology::Plan& plan, const Tunables& tunables, transport::NodeLink& node,
       int device);
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  const topology::Plan& plan() const { return plan_; }
  const Geometry& geometry() const { return geometry_; }
  const Tunables& tunables() const { return tunables_; }
  const AreaLayout& layout() const { return layout_; }
  /// The node by members.
  transport::NodeLink& node() const { return node_; }
  Place self() const { return self_; }
  /// Ranks of the node's members.
  const std::vector<int>& ranks() const { return plan_.nodes[static_cast<std::size_t>(self_.node)].ranks; }
  int members() const { return node_.size(); }
  /// Message tags per lane.
  int channels() const { return 2 * geometry_.shares; }

  SharedCounter finished(int member, std::uint32_t lane) const {
    return layout_.counter(node_.area(member), lane, geometry_.counters().finished());
  }
  /// Says to the node that this member's next program has no lane. Set it, then look at `finished` again.
  void waits_for_lane(bool waits) const;
  /// Raises this member's `finished`, and rings whoever waits for a lane.
  void finish(std::uint32_t lane, std::uint64_t value) const;
  void ring_others() const;

 private:
  topology::Plan plan_;
  Tunables tunables_;
  Geometry geometry_;
  AreaLayout layout_;
  Place self_;
  mutable MemberLink node_;
};

}  // namespace treering::ops
