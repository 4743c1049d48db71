#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/hardware/graph.h"

namespace treering::topology {

enum class Format {
  plain,       ///< Treering's own, see docs/topology.md
  nccl_xml,    ///< NCCL_TOPO_FILE
  nvidia_smi,  ///< `nvidia-smi topo -m`
  hwloc_xml,   ///< `lstopo --of xml`
  matrix,      ///< n lines of n whole numbers
  nccl_graph,  ///< NCCL_GRAPH_FILE: rings and trees, not the machine
  json,        ///< profiles of other planners
  lstopo_console,
  unknown
};

/// Formats after `matrix` are recognised, in order to say what to use instead.
std::string_view name_of(Format format);

struct ReadOptions {
  enum class Matrix {
    links,         ///< entries count parallel links
    rank,          ///< CUDA's performance rank as documented: 0 is the best; negative means no peer access
    reversed_rank  ///< the same read the other way round, as CUDA 9.0 delivered it: higher is better
  };
  Matrix matrix = Matrix::links;
  int links_per_gpu = 0;         ///< to tell switches from direct links in nvidia-smi's matrix; 0 = of any GPU
  std::int64_t link_speed = 0;   ///< MB/s of one NVLink where the format does not say; 0 = what is usual
  Origin origin = Origin::file;  ///< who is named as the source of facts
};

struct ReadResult {
  Format format = Format::unknown;
  std::optional<HardwareGraph> graph;
  std::vector<std::string> warnings;  ///< one line each; the last one says why there is no graph
};

inline constexpr std::size_t most_topology_bytes = std::size_t{16} << 20;

/// What kind of text this is, by its content alone.
Format sniff(std::string_view text);

/// Reads any of the formats. Never throws for what the text holds: without a graph, the last warning says why. `name`
/// stands for the source in provenances.
ReadResult read_topology(std::string_view text, std::string_view name, const ReadOptions& options = {});

}  // namespace treering::topology
