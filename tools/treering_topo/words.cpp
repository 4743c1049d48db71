#include "tools/treering_topo/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace treering::tools {

using topology::HardwareGraph;
using topology::HardwareLink;
using topology::LinkKind;
using topology::NodeKind;

std::string columns(const std::vector<std::vector<std::string>>& rows, std::size_t indent) {
  std::vector<std::size_t> width;
  for (const auto& row : rows) {
    width.resize(std::max(width.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}", row[i], width[i] + 2);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string gigabytes(double bytes_per_second) { return fmt::format("{:.4g} GB/s", bytes_per_second / 1e9); }

std::string duration(double seconds) {
  if (!std::isfinite(seconds)) return "never";
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  return seconds < 1 ? fmt::format("{:.3g} ms", seconds * 1e3) : fmt::format("{:.3g} s", seconds);
}

std::string rate_text(const topology::LinkGraph& graph, const topology::Rational& rate) {
  if (graph.unit == "MB/s") return gigabytes(rate.value() * 1e6);
  const std::string text = rate.text() + " " + graph.unit;
  return graph.bytes_per_second > 0 ? text + " = " + gigabytes(rate.value() * graph.bytes_per_second) : text;
}

std::string cell_text(const HardwareGraph& graph, int from, int to, topology::PathClass path) {
  if (path != topology::PathClass::direct) return std::string(name_of(path));
  const HardwareLink* link = graph.between(from, to);
  for (const HardwareLink& up : graph.links())  // behind a switch: what the device has towards it
    if (!link && up.from == from && graph.node(up.to).kind == NodeKind::nv_switch) link = &up;
  if (!link) return std::string(name_of(path));
  const char* prefix = link->kind == LinkKind::nvlink ? "NV" : link->kind == LinkKind::xgmi ? "XG" : "";
  return prefix + std::to_string(link->count);
}

std::string provenance_text(const HardwareGraph& graph, int index) {
  if (index < 0) return "nobody";
  const topology::Provenance& provenance = graph.provenances()[static_cast<std::size_t>(index)];
  if (provenance.origin == topology::Origin::assumed) return "assumed: " + provenance.detail;
  return std::string(name_of(provenance.origin)) + ": " + provenance.detail;
}

std::string member_name(const Report& report, int member) {
  return report.projection.names[static_cast<std::size_t>(member)];
}

}  // namespace treering::tools
