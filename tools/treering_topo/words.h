#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/treering_topo/report.h"

namespace treering::tools {

/// Lines of words set in columns, all but the last padded to the widest, two blanks between, `indent` in front.
std::string columns(const std::vector<std::vector<std::string>>& rows, std::size_t indent = 2);

std::string gigabytes(double bytes_per_second);  ///< "85.7 GB/s"
std::string duration(double seconds);            ///< "12.3 us", "4.56 ms"; "never" if infinite

/// A rate of the projection: "24/7 links = 85.7 GB/s", "10000 MB/s", or without a speed "24/7 links".
std::string rate_text(const topology::LinkGraph& graph, const topology::Rational& rate);

/// What the matrix shows between two nodes of class `path`: the number of links with the kind in front ("NV2", "XG1",
/// or "2" for direct ones), else the name of the class.
std::string cell_text(const topology::HardwareGraph& graph, int from, int to, topology::PathClass path);

/// "file dgx.xml", "assumed: PCIe 3.0 x16", "hwloc", or "nobody" for a fact without provenance.
std::string provenance_text(const topology::HardwareGraph& graph, int index);

std::string member_name(const Report& report, int member);

}  // namespace treering::tools
