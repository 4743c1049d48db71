#include "tests/topology/read_support.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace treering::topology {

std::string fixture(const std::string& name) {
  std::ifstream file(std::string(TREERING_TOPOLOGY_FIXTURES) + "/" + name, std::ios::binary);
  REQUIRE_MESSAGE(file.good(), name);
  return {std::istreambuf_iterator<char>(file), {}};
}

ReadResult read_fixture(const std::string& name, const ReadOptions& options) {
  return read_topology(fixture(name), name, options);
}

ReadResult read_text(const std::string& text, const ReadOptions& options) {
  return read_topology(text, "text", options);
}

Projection project_all(const HardwareGraph& graph) { return project(graph, graph.devices()); }

std::vector<std::int64_t> capacities(const LinkGraph& links) { return links.capacity; }

bool warned(const ReadResult& result, const std::string& part) {
  return std::any_of(result.warnings.begin(), result.warnings.end(),
                     [&](const std::string& warning) { return warning.find(part) != std::string::npos; });
}

}  // namespace treering::topology
