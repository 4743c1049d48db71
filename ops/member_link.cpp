#include "ops/member_link.h"

#include "base/check.h"

namespace treering::ops {

MemberLink::MemberLink(transport::NodeLink& node, const std::vector<int>& ranks, int self, std::size_t area_bytes)
    : node_(node), self_(self), area_bytes_(area_bytes) {
  for (std::size_t member = 0; member < ranks.size(); ++member) {
    Place place;
    if (member > 0) {
      const bool same = ranks[member] == ranks[member - 1];
      place = {places_.back().local_rank + (same ? 0 : 1), same ? places_.back().device + 1 : 0};
    }
    places_.push_back(place);
  }
  TREERING_CHECK(at(self).local_rank == node.self() && places_.back().local_rank + 1 == node.size(),
                 "plan and node link must number the ranks alike");
}

}  // namespace treering::ops
