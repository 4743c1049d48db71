#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/treering_topo/report.h"
#include "tools/treering_topo/words.h"

namespace treering::tools {
namespace {

using topology::NodeKind;

/// In double quotes, with what would end them escaped.
std::string quote(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return quoted + "\"";
}

const char* shape(NodeKind kind) {
  switch (kind) {
    case NodeKind::gpu: return "box";
    case NodeKind::nic: return "cds";
    case NodeKind::cpu: return "house";
    default: return "ellipse";
  }
}

}  // namespace

std::string dot_of_machine(const Report& report) {
  const topology::HardwareGraph& graph = report.graph;
  std::string text = "digraph machine {\n";
  for (const topology::HardwareNode& node : graph.nodes())
    text += fmt::format("  {} [shape={}]\n", quote(node.name), shape(node.kind));
  for (const topology::HardwareLink& link : graph.links()) {
    const topology::HardwareLink* back = graph.between(link.to, link.from);
    const bool both = back && back->capacity == link.capacity && back->count == link.count;
    if (both && link.from > link.to) continue;
    const std::string speed = link.capacity > 0 ? ", " + gigabytes(static_cast<double>(link.capacity) * 1e6) : "";
    text += fmt::format("  {} -> {} [label={}{}]\n", quote(graph.node(link.from).name), quote(graph.node(link.to).name),
                        quote(fmt::format("{} {}{}", link.count, name_of(link.kind), speed)), both ? " dir=both" : "");
  }
  return text + "}\n";
}

std::string dot_of_trees(const Report& report) {
  std::string text = "digraph plans {\n  node [shape=box]\n";
  int cluster = 0;
  for (const topology::Forest& forest : report.forests) {
    for (const topology::ForestTree& tree : forest.trees) {
      text += fmt::format("  subgraph cluster_{} {{\n    label={}\n", cluster,
                          quote(forest.builder + ", share " + tree.share.text()));
      for (std::size_t member = 0; member < tree.parent.size(); ++member) {
        const std::string name = member_name(report, static_cast<int>(member));
        const bool root = static_cast<int>(member) == tree.root;
        text += fmt::format("    t{}_{} [label={}{}]\n", cluster, member, quote(name), root ? " style=bold" : "");
        if (tree.parent[member] >= 0)
          text += fmt::format("    t{}_{} -> t{}_{}\n", cluster, tree.parent[member], cluster, member);
      }
      text += "  }\n";
      ++cluster;
    }
  }
  return text + "}\n";
}

}  // namespace treering::tools
