#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace treering::topology {

/// What plans are built from: directed integer capacities between vertices. The first `members` vertices hold data
/// (GPUs, or ranks of a node); the others only forward (switches, PCIe bridges, NUMA interconnects). Capacities are in
/// `unit`
/// ("links", or bytes per second) and need not be symmetric.
struct LinkGraph {
  int members = 0;
  int vertices = 0;
  std::vector<std::int64_t> capacity;  ///< row-major, vertices x vertices: from row to column; 0 = no link, diagonal 0
  std::string unit = "links";
  double bytes_per_second = 0;  ///< of one unit of capacity; 0 if not known

  LinkGraph() = default;
  LinkGraph(int members_count, int vertices_count)
      : members(members_count),
        vertices(vertices_count),
        capacity(static_cast<std::size_t>(vertices_count) * static_cast<std::size_t>(vertices_count)) {}

  std::int64_t& at(int from, int to) { return capacity[static_cast<std::size_t>(from * vertices + to)]; }
  std::int64_t at(int from, int to) const { return capacity[static_cast<std::size_t>(from * vertices + to)]; }
};

}  // namespace treering::topology
