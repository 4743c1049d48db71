#pragma once

#include <string>
#include <vector>

namespace treering::transport::mpi {

/// What a rank knows about its machine.
struct Place {
  int split_leader = 0;  ///< lowest rank of those with which MPI says it shares memory
  std::string host;
};

struct Nodes {
  std::vector<int> labels;  ///< equal for ranks of one node
  std::string warning;      ///< for people, if MPI and the host names disagree
};

/// Pure: ranks are of one node if MPI says so and their host names are equal, and, if there is a map, it says so too.
/// Throws Error if the map puts ranks together that do not share memory.
Nodes nodes_of(const std::vector<Place>& places, const std::vector<int>& node_map);

}  // namespace treering::transport::mpi
