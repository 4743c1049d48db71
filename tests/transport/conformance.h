#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "transport/fabric.h"

/// What every fabric must do, written once and run over threads and over MPI. Every function is called by all ranks of
/// the job together, each with its own fabric, and returns what went wrong on this rank.
namespace treering::transport::conformance {

using Problems = std::vector<std::string>;

/// Neighbours of `world.rank` in the test's control tree: members under their leader, leaders in a chain.
std::vector<int> chain_of_leaders(const World& world);

/// Runs the fabric as an engine would, with real sleeps, until `finished` (called between steps) says so. False if the
/// fabric was poisoned or a generous guard ran out first.
bool drive(Fabric& fabric, const std::function<bool()>& finished);
/// The same, until the fabric is poisoned; the cause, or ok if the guard ran out.
Status drive_until_poisoned(Fabric& fabric);

Problems gathering(Fabric& fabric);
/// Areas are zeroed, aligned, distinct and seen by all members; heaps too.
Problems shared_memory(Fabric& fabric, std::size_t area_bytes);
/// Messages of many sizes both ways over every edge at once, in order.
Problems messages(Fabric& fabric);
/// Transfers between all ranks of different nodes, several tags, first in, first out.
Problems wires(Fabric& fabric);
/// Hand-overs from sleeper to sleeper through the first two members' areas.
Problems local_hand_overs(Fabric& fabric, int count);
/// Hand-overs over every edge between nodes, one after the other.
Problems remote_hand_overs(Fabric& fabric, int count);

/// All of the above.
Problems everything(Fabric& fabric, std::size_t area_bytes, int hand_overs);

/// All ranks: the stopped words, then the goodbye.
Problems stopping(Fabric& fabric);

}  // namespace treering::transport::conformance
