#include "topology/hardware/graph.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace treering::topology {

int HardwareGraph::provenance(Origin origin, std::string_view detail) {
  const Provenance wanted{origin, std::string(detail)};
  const auto found = std::find(provenances_.begin(), provenances_.end(), wanted);
  if (found != provenances_.end()) return static_cast<int>(found - provenances_.begin());
  provenances_.push_back(wanted);
  return static_cast<int>(provenances_.size()) - 1;
}

int HardwareGraph::add_node(HardwareNode node) {
  if (nodes_.size() == most_nodes) throw Unreadable("more than " + std::to_string(most_nodes) + " devices");
  if (node.kind == NodeKind::gpu && ++gpus_ > most_gpus)
    throw Unreadable("more than " + std::to_string(most_gpus) + " GPUs");
  const std::string wanted = node.name;
  for (int copy = 2; find(node.name) >= 0; ++copy) node.name = wanted + "." + std::to_string(copy);
  nodes_.push_back(std::move(node));
  return static_cast<int>(nodes_.size()) - 1;
}

void HardwareGraph::add_link(const HardwareLink& link) {
  if (link.count < 1 || link.count > most_count)
    throw Unreadable(std::to_string(link.count) + " parallel links between two devices");
  if (link.capacity < 0 || link.capacity > most_speed)
    throw Unreadable("a link of " + std::to_string(link.capacity) + " MB/s");
  const std::array<int, 4> key{link.from, link.to, static_cast<int>(link.kind), link.domain};
  if (const auto found = link_of_.find(key); found != link_of_.end()) {
    HardwareLink& old = links_[found->second];
    old.count = std::min(old.count + link.count, most_count);
    old.capacity = std::min(old.capacity + link.capacity, most_speed);
    return;
  }
  if (links_.size() == most_links) throw Unreadable("more than " + std::to_string(most_links) + " links");
  link_of_[key] = links_.size();
  links_.push_back(link);
}

void HardwareGraph::add_both(const HardwareLink& link) {
  add_link(link);
  HardwareLink back = link;
  std::swap(back.from, back.to);
  add_link(back);
}

int HardwareGraph::add_domain(SharedDomain domain) {
  if (domains_.size() == most_nodes) throw Unreadable("more than " + std::to_string(most_nodes) + " shared domains");
  domains_.push_back(std::move(domain));
  return static_cast<int>(domains_.size()) - 1;
}

void HardwareGraph::state(int a, int b, PathClass path) { stated_.push_back({a, b, path}); }

int HardwareGraph::find(std::string_view name) const {
  const auto found = std::find_if(nodes_.begin(), nodes_.end(), [&](const auto& node) { return node.name == name; });
  return found == nodes_.end() ? -1 : static_cast<int>(found - nodes_.begin());
}

std::vector<int> HardwareGraph::of_kind(NodeKind kind) const {
  std::vector<int> found;
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].kind == kind) found.push_back(static_cast<int>(i));
  const auto place = [&](int i) {
    return std::pair(node(i).number < 0 ? std::numeric_limits<int>::max() : node(i).number, i);
  };
  std::sort(found.begin(), found.end(), [&](int a, int b) { return place(a) < place(b); });
  return found;
}

const HardwareLink* HardwareGraph::between(int from, int to) const {
  const HardwareLink* best = nullptr;
  for (const HardwareLink& link : links_) {
    if (link.from != from || link.to != to) continue;
    if (!best || std::tie(link.capacity, link.count) > std::tie(best->capacity, best->count)) best = &link;
  }
  return best;
}

std::vector<int> HardwareGraph::devices() const {
  const std::vector<int> gpus = of_kind(NodeKind::gpu);
  return gpus.empty() ? of_kind(NodeKind::cpu) : gpus;
}

std::string_view name_of(NodeKind kind) {
  constexpr std::string_view names[] = {"gpu", "nvswitch", "switch", "cpu", "nic", "other"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view name_of(LinkKind kind) {
  constexpr std::string_view names[] = {"nvlink", "xgmi", "c2c", "pcie", "bus", "direct"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view name_of(PathClass path) {
  constexpr std::string_view names[] = {"X", "NVL", "NVB", "PIX", "PXB", "PHB", "NODE", "SYS", "DIS"};
  return names[static_cast<std::size_t>(path)];
}

std::string_view name_of(Origin origin) {
  constexpr std::string_view names[] = {"file", "hwloc", "command", "assumed"};
  return names[static_cast<std::size_t>(origin)];
}

}  // namespace treering::topology
