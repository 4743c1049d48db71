#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topology/read/context.h"

namespace treering::topology {

/// One entry of nvidia-smi's matrix: NVLinks, or the class of the PCIe path; neither if it could not be read.
struct SmiCell {
  bool known = false;
  int links = 0;
  PathClass path = PathClass::none;
  friend bool operator==(const SmiCell&, const SmiCell&) = default;
};

struct SmiDevice {
  std::string name;
  int gpu = -1;       ///< number, -1 for a NIC
  std::string cores;  ///< CPU affinity, "0-19,40-59"; empty if not given
  int numa = -1;
};

/// The matrix among GPUs and NICs, symmetric: what one row lacks was taken from the other.
struct SmiTable {
  std::vector<SmiDevice> devices;
  std::vector<SmiCell> cells;  ///< row-major

  SmiCell& at(std::size_t row, std::size_t column) { return cells[row * devices.size() + column]; }
  const SmiCell& at(std::size_t row, std::size_t column) const { return cells[row * devices.size() + column]; }
};

/// Reads what `nvidia-smi topo -m` prints: blanks or tabs, titles with blanks in them, NIC columns with and without
/// rows, missing tails, cut-off output. Throws Unreadable if there is no row of a GPU at all.
SmiTable parse_smi_table(std::string_view text, ReadContext& context);

}  // namespace treering::topology
