#include <pugixml.hpp>

#include <algorithm>
#include <map>

#include "base/parse_value.h"
#include "topology/read/context.h"
#include "topology/read/hwloc_objects.h"
#include "topology/read/text_scan.h"

namespace treering::topology {
namespace {

constexpr std::size_t most_objects = 512;

/// One distance matrix: node of each object (-1 for objects that are not in the graph), and values in MB/s, row by row.
struct Bandwidths {
  LinkKind kind = LinkKind::nvlink;
  std::vector<int> nodes;
  std::vector<std::int64_t> values;
};

std::vector<std::string_view> words_in(const pugi::xml_node& distances, const char* name) {
  std::vector<std::string_view> words;
  for (const pugi::xml_node& part : distances.children(name)) {
    for (const std::string_view word : words_of(part.text().get())) words.push_back(word);
    if (words.size() > most_objects * most_objects) throw Unreadable("a distance matrix of more than 512 objects");
  }
  return words;
}

Bandwidths read_matrix_element(const pugi::xml_node& distances, const HwlocObjects& objects) {
  Bandwidths matrix;
  const std::string_view name = distances.attribute("name").value();
  if (name == "XGMIBandwidth") matrix.kind = LinkKind::xgmi;
  const std::string type = distances.attribute("type").value();
  for (const std::string_view word : words_in(distances, "indexes")) {
    const auto found = objects.find(type.empty() ? std::string(word) : type + ":" + std::string(word));
    matrix.nodes.push_back(found == objects.end() ? -1 : found->second);
  }
  for (const std::string_view word : words_in(distances, "u64values")) {
    const auto value = to_integer(word, 0, HardwareGraph::most_speed);
    if (!value) throw Unreadable(std::string(name) + " has " + quoted(word) + ", expected MB/s");
    matrix.values.push_back(*value);
  }
  if (matrix.values.size() != matrix.nodes.size() * matrix.nodes.size())
    throw Unreadable(std::string(name) + " has " + std::to_string(matrix.values.size()) + " values for " +
                     std::to_string(matrix.nodes.size()) + " objects");
  return matrix;
}

/// Speed of one link such that all capacities are multiples of it: hwloc gives sums over parallel links only.
std::int64_t one_link(const Bandwidths& matrix) {
  const std::size_t n = matrix.nodes.size();
  const auto fits = [&](std::int64_t speed) {
    for (std::size_t i = 0; i < n * n; ++i)
      if (i / n != i % n && matrix.values[i] % speed != 0) return false;
    return true;
  };
  if (matrix.kind == LinkKind::xgmi) return fits(50000) ? 50000 : 0;
  return fits(25000) ? 25000 : fits(20000) ? 20000 : 0;
}

void add_links(const Bandwidths& matrix, ReadContext& context) {
  const std::int64_t speed = one_link(matrix);
  const std::size_t n = matrix.nodes.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const std::int64_t value = matrix.values[i * n + j];
      if (i == j || value == 0 || matrix.nodes[i] < 0 || matrix.nodes[j] < 0 || matrix.nodes[i] == matrix.nodes[j])
        continue;
      HardwareLink link;
      link.from = matrix.nodes[i];
      link.to = matrix.nodes[j];
      link.kind = matrix.kind;
      link.count = speed > 0 && value / speed <= HardwareGraph::most_count ? static_cast<int>(value / speed) : 1;
      link.capacity = value;
      link.found = link.speed = context.stated();
      context.graph().add_link(link);
    }
  }
}

}  // namespace

void read_hwloc_xml(std::string_view text, ReadContext& context) {
  pugi::xml_document document;
  const auto parsed = document.load_buffer(text.data(), text.size());
  if (!parsed)
    throw Unreadable(std::string("the XML is broken at byte ") + std::to_string(parsed.offset) + ": " +
                     parsed.description());
  const pugi::xml_node topology = document.child("topology");
  const HwlocObjects objects = read_hwloc_objects(topology, context);
  for (const pugi::xml_node& distances : topology.children()) {
    const std::string_view element = distances.name(), name = distances.attribute("name").value();
    const bool matrix = element == "distances2" || element == "distances2hetero";
    if (!matrix || (name != "NVLinkBandwidth" && name != "XGMIBandwidth")) continue;
    add_links(read_matrix_element(distances, objects), context);
  }
}

}  // namespace treering::topology
