#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "topology/hardware/graph.h"
#include "topology/plan.h"
#include "topology/read/read.h"
#include "treering/config.h"

namespace treering {

/// What a rank's machine looks like to its operating system.
struct HostView {
  std::optional<topology::HardwareGraph> graph;
  std::string source;  ///< for people
  int domain = -1;     ///< number of the NUMA domain that the rank is bound to; -1 = to none or several, or not known
};

/// What one rank sees, as it is sent to the others.
struct RankView {
  std::string machine;  ///< in Treering's own format; empty = nothing is known
  std::string source;   ///< for people
  bool given = false;   ///< a file of the user, not detected
  int domain = -1;
  std::string problem;  ///< why the user's file is not used; one line
  std::string remark;   ///< what is doubtful in it; one line
};

/// One machine, as at least one rank sees it.
struct SeenMachine {
  topology::HardwareGraph graph;
  std::string source;
  bool given = false;
};

/// The same words from several ranks.
struct SaidByRanks {
  std::string words;
  std::vector<int> ranks;  ///< ascending
};

/// What all ranks see together.
struct JobView {
  std::vector<SeenMachine> machines;
  std::vector<int> machine_of;              ///< per node; -1 = nothing is known
  std::vector<std::vector<int>> domain_of;  ///< per node and member: number of the NUMA domain, or -1
  std::vector<SaidByRanks> problems;
  std::vector<SaidByRanks> remarks;
};

/// Reads Config::topology, at most topology::most_topology_bytes of it. Without a graph, the last warning says why.
topology::ReadResult read_topology_file(const std::string& path);

/// This rank's view: the machine in Config::topology if that can be read, else the one that was detected.
RankView look_around(const Config& config, const HostView& host);

/// A view without its machine, of which only the hash travels at first.
void encode_outline(const RankView& view, ByteWriter& writer);
/// 0: no machine.
std::uint64_t machine_hash(const RankView& view);

struct Outline {
  RankView view;
  std::uint64_t hash = 0;
};
/// Of a message that cannot be read, a view that knows nothing and says so.
Outline decode_outline(const Bytes& message);

/// For each node the rank whose machine counts, or -1: the node's lowest rank with a file; else rank 0 if it has one;
/// else the node's lowest rank that has detected something.
std::vector<int> speakers_of_nodes(const topology::JobShape& job, const std::vector<Outline>& outlines);

/// Puts together what the ranks said. `machines`: the text of those that speak, by rank, else empty.
JobView joined_views(const topology::JobShape& job, const std::vector<Outline>& outlines,
                     const std::vector<std::string>& machines);

}  // namespace treering
