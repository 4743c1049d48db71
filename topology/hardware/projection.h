#pragma once

#include <span>
#include <string>
#include <vector>

#include "topology/hardware/graph.h"
#include "topology/link_graph.h"

namespace treering::topology {

/// What a plan over some devices of a machine is built from.
struct Projection {
  LinkGraph links;
  std::vector<int> nodes;          ///< hardware node of each vertex; -1 for a shared port that has no node of its own
  std::vector<std::string> names;  ///< of each vertex
  std::string basis;               ///< which links are used, and why, for people
  std::vector<int> near_network;   ///< members that reach a NIC over one PCIe switch or more of them, not over a CPU
};

/// Takes the GPU links (NVLink, XGMI, direct) if these join all of `devices`; else all links, with the PCIe switches
/// and CPUs between. Capacities count links where all are equally fast, else MB/s. Devices that are not chosen forward
/// nothing. Port limits and shared domains become vertices that the data passes through. `devices` are indices of
/// nodes, without repetition; their order is the order of the members.
Projection project(const HardwareGraph& graph, std::span<const int> devices);

}  // namespace treering::topology
