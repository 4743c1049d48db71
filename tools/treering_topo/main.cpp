#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>

#include "base/parse_value.h"
#include "tools/treering_topo/detect.h"
#include "tools/treering_topo/options.h"
#include "tools/treering_topo/report.h"
#include "topology/read/plain.h"

namespace {

using treering::tools::Report;
using treering::tools::TopoOptions;
namespace topology = treering::topology;
namespace tools = treering::tools;

/// At most one byte more than may be read, so that the reader can say that it is too long.
topology::ReadResult read_file(const TopoOptions& options) {
  std::ifstream file;
  if (options.file != "-") file.open(options.file, std::ios::binary);
  std::istream& in = options.file == "-" ? std::cin : file;
  std::string text(topology::most_topology_bytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  if (text.empty() && !in.eof()) {
    topology::ReadResult failed;
    failed.warnings.push_back("cannot read " + treering::quoted(options.file) + ": " +
                              std::generic_category().message(errno));
    return failed;
  }
  return topology::read_topology(text, options.file == "-" ? "standard input" : options.file, options.read);
}

topology::Fabric fabric_of(const topology::HardwareGraph& graph, const topology::LinkGraph& links) {
  if (graph.of_kind(topology::NodeKind::gpu).empty()) return topology::Fabric::shared_memory;
  if (links.unit == "MB/s") return topology::Fabric::pcie;
  const auto xgmi = [](const topology::HardwareLink& link) { return link.kind == topology::LinkKind::xgmi; };
  return std::any_of(graph.links().begin(), graph.links().end(), xgmi) ? topology::Fabric::xgmi
                                                                       : topology::Fabric::nvlink;
}

/// False, and a line on stderr, if a device is asked for that there is not, or twice.
bool choose_devices(const std::vector<int>& wanted, Report& report) {
  const std::vector<int> all = report.graph.devices();
  if (wanted.empty()) report.devices = all;
  for (const int position : wanted) {
    if (position >= std::ssize(all)) {
      std::fprintf(stderr, "treering-topo: --devices names %d, but %s has %zu devices, counted from 0\n", position,
                   report.source.c_str(), all.size());
      return false;
    }
    const int device = all[static_cast<std::size_t>(position)];
    if (std::find(report.devices.begin(), report.devices.end(), device) != report.devices.end()) {
      std::fprintf(stderr, "treering-topo: --devices names %d twice\n", position);
      return false;
    }
    report.devices.push_back(device);
  }
  return true;
}

void plan(const TopoOptions& options, Report& report) {
  report.projection = topology::project(report.graph, report.devices);
  report.constants = topology::default_constants(fabric_of(report.graph, report.projection.links));
  if (options.machine_only || report.devices.size() < 2) return;
  topology::BuildOptions build;
  build.preferred_roots = report.projection.near_network;
  for (const topology::Builder& builder : topology::builders()) {
    const auto& wanted = options.builders;
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), builder.name) != wanted.end())
      report.forests.push_back(topology::build_forest(builder.name, report.projection.links, build));
  }
}

std::string shown(const TopoOptions& options, const Report& report) {
  switch (options.output) {
    case TopoOptions::Output::json: return tools::json_report(report);
    case TopoOptions::Output::dot_machine: return tools::dot_of_machine(report);
    case TopoOptions::Output::dot_trees: return tools::dot_of_trees(report);
    case TopoOptions::Output::svg_trees: return tools::svg_of_trees(report);
    case TopoOptions::Output::plain: return topology::plain_text(report.graph);
    case TopoOptions::Output::text: break;
  }
  return tools::text_report(report);
}

int run(const TopoOptions& options) {
  topology::ReadResult read = options.file.empty() ? tools::detect_machine(options.read) : read_file(options);
  for (const std::string& warning : read.warnings) std::fprintf(stderr, "treering-topo: %s\n", warning.c_str());
  if (!read.graph) return 1;
  Report report;
  report.source = options.file.empty() ? "this machine" : options.file;
  report.format = read.format;
  report.warnings = read.warnings;
  report.graph = std::move(*read.graph);
  report.sizes = options.sizes;
  report.explain = options.explain;
  report.simulate = options.simulate;
  if (!choose_devices(options.devices, report)) return 2;
  plan(options, report);
  std::cout << shown(options, report) << std::flush;
  return std::cout ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  int exit_code = 0;
  try {
    const auto options = tools::parse_topo_options(argc, argv, exit_code);
    return options ? run(*options) : exit_code;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "treering-topo: %s\n", error.what());
    return 1;
  }
}
