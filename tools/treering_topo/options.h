#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topology/read/read.h"

namespace treering::tools {

struct TopoOptions {
  enum class Output { text, json, dot_machine, dot_trees, svg_trees, plain };
  std::string file;                   ///< "-" = standard input; empty = this machine
  std::vector<int> devices;           ///< positions in the list of devices; empty = all
  std::vector<std::string> builders;  ///< empty = all
  std::vector<std::uint64_t> sizes;   ///< bytes of the predictions
  std::optional<std::uint64_t> explain;
  std::optional<std::uint64_t> simulate;
  Output output = Output::text;
  bool machine_only = false;
  topology::ReadOptions read;
};

/// nullopt if the program should end with `exit_code` at once: help was asked for, or the command line is wrong.
std::optional<TopoOptions> parse_topo_options(int argc, const char* const* argv, int& exit_code);

}  // namespace treering::tools
