#pragma once

#include <cstdint>
#include <vector>

#include "topology/build/forest.h"

namespace treering::topology {

/// Where the members of a node run, if they are processes that meet in its memory.
struct HostPlaces {
  std::vector<int> domain;        ///< NUMA domain of each member, counted from 0 without gaps
  std::vector<std::int64_t> bus;  ///< MB/s from domain to domain, row by row

  int domains() const;
};

/// What one process copies in each direction: a usual value, of which only the proportion to the buses counts.
inline constexpr std::int64_t usual_copy_speed = 10'000;

/// Every member reaches its domain's memory, domains reach each other over the buses. In MB/s.
LinkGraph host_links(const HostPlaces& places);

/// One hop: `shares` equal parts, whose roots are dealt round the members.
Forest host_stars(const LinkGraph& graph, int shares);

/// Two hops: in every group but the root's, one member joins what the others have and passes that to the root. Roots
/// and these members are dealt so that everybody reduces about as much. `group` of each member, counted from 0.
Forest two_level_forest(const LinkGraph& graph, const std::vector<int>& group, int shares);

/// Groups of neighbours inside each domain, about as many as each has members.
std::vector<int> square_groups(const std::vector<int>& domain);

}  // namespace treering::topology
