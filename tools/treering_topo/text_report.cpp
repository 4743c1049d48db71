#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/parse_value.h"
#include "tools/treering_topo/report.h"
#include "tools/treering_topo/words.h"
#include "topology/hardware/path_class.h"

namespace treering::tools {
namespace {

using topology::Forest;
using topology::ForestTree;
using topology::HardwareNode;
using topology::NodeKind;

constexpr std::size_t most_trees = 32;

std::string device_list(const Report& report) {
  std::vector<std::vector<std::string>> rows{{"#", "name", "bus address", "hangs under", ""}};
  const std::vector<int> all = report.graph.devices();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const HardwareNode& node = report.graph.node(all[i]);
    const bool chosen = std::find(report.devices.begin(), report.devices.end(), all[i]) != report.devices.end();
    std::string detail = node.architecture > 0 ? fmt::format("sm_{} ", node.architecture) : "";
    detail += node.detail + (chosen ? "" : " (not chosen)");
    rows.push_back({std::to_string(i), node.name, node.bus_id.empty() ? "-" : node.bus_id,
                    node.parent < 0 ? "-" : report.graph.node(node.parent).name, detail});
  }
  return "Devices\n" + columns(rows);
}

std::string path_matrix(const Report& report) {
  std::vector<int> nodes = report.devices;
  const std::vector<int> nics = report.graph.of_kind(NodeKind::nic);
  nodes.insert(nodes.end(), nics.begin(), nics.end());
  const auto classes = topology::path_classes(report.graph, nodes);
  std::vector<std::vector<std::string>> rows{{""}};
  for (const int node : nodes) rows[0].push_back(report.graph.node(node).name);
  for (std::size_t i = 0; i < report.devices.size(); ++i) {
    rows.push_back({report.graph.node(nodes[i]).name});
    for (std::size_t j = 0; j < nodes.size(); ++j)
      rows.back().push_back(cell_text(report.graph, nodes[i], nodes[j], classes[i * nodes.size() + j]));
  }
  return "Paths\n" + columns(rows) +
         "  NV2, XG2, 2: so many NVLinks, XGMI or other direct links (behind NVSwitches: of the device). NVB: NVLinks "
         "through\n"
         "  another GPU. Over PCIe: PIX one switch, PXB several, PHB and NODE the same CPU, SYS another CPU. DIS: no "
         "path known.\n";
}

std::string capacities(const Report& report) {
  const topology::LinkGraph& links = report.projection.links;
  std::string text = "Links that plans use: " + report.projection.basis + "\n";
  const std::string worth =
      links.bytes_per_second > 0 && links.unit != "MB/s" ? " of " + gigabytes(links.bytes_per_second) : "";
  text += "  capacity in " + links.unit + worth + ", from row to column\n";
  std::vector<std::vector<std::string>> rows{{""}};
  for (const std::string& name : report.projection.names) rows[0].push_back(name);
  for (int i = 0; i < links.vertices; ++i) {
    rows.push_back({report.projection.names[static_cast<std::size_t>(i)]});
    for (int j = 0; j < links.vertices; ++j)
      rows.back().push_back(links.at(i, j) == 0 ? "." : std::to_string(links.at(i, j)));
  }
  return text + columns(rows);
}

/// How many facts each source is answerable for.
std::string facts(const Report& report) {
  struct Counts {
    int devices = 0, links = 0, speeds = 0;
  };
  std::map<int, Counts> by_source;
  for (const HardwareNode& node : report.graph.nodes()) {
    ++by_source[node.found].devices;
    if (node.port_out > 0 || node.port_in > 0) ++by_source[node.port_speed].speeds;
  }
  for (const topology::HardwareLink& link : report.graph.links()) {
    ++by_source[link.found].links;
    if (link.capacity > 0) ++by_source[link.speed].speeds;
  }
  std::vector<std::vector<std::string>> rows{{"devices", "links", "speeds", "known from"}};
  for (const auto& [source, counts] : by_source)
    rows.push_back({std::to_string(counts.devices), std::to_string(counts.links), std::to_string(counts.speeds),
                    provenance_text(report.graph, source)});
  return "Facts (links count each direction)\n" + columns(rows);
}

std::string percent(double part) { return fmt::format("{:.3g} %", part * 100); }

std::string summary(const Report& report) {
  std::vector<std::vector<std::string>> rows{{"builder", "rate", "of the bound", "trees", "height", "trees per link"}};
  for (const std::uint64_t size : report.sizes) rows[0].push_back(bytes_text(size));
  for (const Forest& forest : report.forests) {
    const std::string what = forest.operation == topology::Operation::allgather ? " (allgather)" : "";
    rows.push_back({forest.builder, rate_text(report.projection.links, forest.rate) + what,
                    percent(1 - forest.gap.value()), std::to_string(forest.trees.size()), std::to_string(forest.height),
                    forest.worst_load.text()});
    for (const std::uint64_t size : report.sizes)
      rows.back().push_back(duration(predict(report.projection.links, forest, size, report.constants).seconds));
  }
  return "Plans (rate of one allreduce; predicted time by size, with constants nobody measured here)\n" + columns(rows);
}

std::string edges_text(const Report& report, const ForestTree& tree) {
  std::string text;
  for (std::size_t member = 0; member < tree.parent.size(); ++member) {
    if (tree.parent[member] < 0) continue;
    if (!text.empty()) text += " ";
    text += member_name(report, tree.parent[member]) + "-" + member_name(report, static_cast<int>(member));
  }
  return text;
}

std::string trees_text(const Report& report, const Forest& forest) {
  std::vector<std::vector<std::string>> rows;
  for (const ForestTree& tree : forest.trees) {
    if (rows.size() == most_trees) break;
    rows.push_back({"root " + member_name(report, tree.root), "share " + tree.share.text(), edges_text(report, tree)});
  }
  std::string text = columns(rows, 4);
  if (forest.trees.size() > most_trees)
    text += fmt::format("    and {} more (all of them with --json)\n", forest.trees.size() - most_trees);
  return text;
}

std::string loads_text(const Report& report, const Forest& forest) {
  std::string text = "    load per link (share of the data per unit of capacity):";
  std::size_t shown = 0;
  for (const topology::LinkLoad& load : forest.loads) {
    if (load.capacity <= 0) continue;
    if (++shown > 64) break;
    text += fmt::format("{}{}>{} {:.3g}", shown % 6 == 1 ? "\n      " : "  ", member_name(report, load.from),
                        member_name(report, load.to), load.load.value() / static_cast<double>(load.capacity));
  }
  if (forest.loads.size() > 64) text += fmt::format("\n      and {} more", forest.loads.size() - 64);
  return text + "\n";
}

std::string plan_text(const Report& report, const Forest& forest) {
  std::string text = forest.builder + "\n";
  text += "    bound: " + rate_text(report.projection.links, forest.bound.rate) + "; " + forest.bound.text + "\n";
  if (!forest.reason.empty()) text += "    relaxed: " + forest.reason + "\n";
  return text + trees_text(report, forest) + loads_text(report, forest);
}

std::string explanation(const Report& report) {
  const topology::Choice choice = choose(report.projection.links, report.forests, *report.explain, report.constants);
  std::string text =
      "For " + bytes_text(*report.explain) + "B: " + report.forests[choice.forest].builder + ". " + choice.why + "\n";
  std::vector<std::vector<std::string>> rows{{"builder", "time", "hops and launches", "links or reduction", "chunks"}};
  for (std::size_t i = 0; i < report.forests.size(); ++i) {
    const topology::Prediction& one = choice.predictions[i];
    rows.push_back({report.forests[i].builder, duration(one.seconds), duration(one.latency_seconds),
                    duration(one.bandwidth_seconds) + (one.reduction_bound ? " (reduction)" : ""),
                    std::to_string(one.chunks)});
  }
  return text + columns(rows);
}

}  // namespace

std::string text_report(const Report& report) {
  std::string text = fmt::format("{} ({})\n\n", report.source, name_of(report.format));
  text += facts(report);
  if (report.devices.empty()) return text + "\nThere is no device to plan for.\n";
  text += "\n" + device_list(report) + "\n" + path_matrix(report) + "\n" + capacities(report);
  if (report.forests.empty()) return text;
  text += "\n" + summary(report);
  if (report.explain) text += "\n" + explanation(report);
  if (report.simulate) text += "\n" + simulation_text(report, *report.simulate);
  for (const Forest& forest : report.forests) text += "\n" + plan_text(report, forest);
  return text;
}

}  // namespace treering::tools
