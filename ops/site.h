#pragma once

#include <vector>

#include "base/tunables.h"
#include "ops/area.h"
#include "ops/batch_shape.h"
#include "topology/plan.h"
#include "transport/node_link.h"
#include "transport/world.h"

namespace treering::ops {

/// Where this rank stands in the job and in its node's shared memory: what all lanes of an executor have in common.
class Site {
 public:
  Site(const transport::World& world, const topology::Plan& plan, const Tunables& tunables, transport::NodeLink& node);

  const topology::Plan& plan() const { return plan_; }
  const Geometry& geometry() const { return geometry_; }
  const Tunables& tunables() const { return tunables_; }
  const AreaLayout& layout() const { return layout_; }
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
  /// Says to the node that this rank's next program has no lane. Set it, then look at `finished` again.
  void waits_for_lane(bool waits) const;
  /// Raises this rank's `finished`, and rings whoever waits for a lane.
  void finish(std::uint32_t lane, std::uint64_t value) const;
  void ring_others() const;

 private:
  topology::Plan plan_;
  Tunables tunables_;
  Geometry geometry_;
  AreaLayout layout_;
  transport::NodeLink& node_;
  Place self_;
};

}  // namespace treering::ops
