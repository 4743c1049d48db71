#include "topology/hardware/path_class.h"

#include <algorithm>
#include <numeric>

namespace treering::topology {
namespace {

/// Which node reaches which over GPU links, without and with switches between.
class GpuLinks {
 public:
  explicit GpuLinks(const HardwareGraph& graph) : graph_(graph), next_(graph.nodes().size()) {
    for (const HardwareLink& link : graph.links())
      if (is_gpu_link(graph, link)) next_[static_cast<std::size_t>(link.from)].push_back(link.to);
  }

  /// Members reached from `from` by one link or through switches, as a mask over all nodes.
  std::vector<bool> neighbours(int from) const {
    std::vector<bool> seen(next_.size());
    std::vector<int> open{from};
    seen[static_cast<std::size_t>(from)] = true;
    while (!open.empty()) {
      const int at = open.back();
      open.pop_back();
      for (const int to : next_[static_cast<std::size_t>(at)]) {
        if (seen[static_cast<std::size_t>(to)]) continue;
        seen[static_cast<std::size_t>(to)] = true;
        if (graph_.node(to).kind == NodeKind::nv_switch) open.push_back(to);
      }
    }
    return seen;
  }

 private:
  const HardwareGraph& graph_;
  std::vector<std::vector<int>> next_;
};

/// The node and all above it on the PCIe tree.
std::vector<int> chain(const HardwareGraph& graph, int node) {
  std::vector<int> up{node};
  while (graph.node(up.back()).parent >= 0 && up.size() <= graph.nodes().size())
    up.push_back(graph.node(up.back()).parent);
  return up;
}

PathClass tree_class(const HardwareGraph& graph, int a, int b) {
  const std::vector<int> from = chain(graph, a), to = chain(graph, b);
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto meet = std::find(to.begin(), to.end(), from[i]);
    if (meet == to.end()) continue;
    if (graph.node(from[i]).kind == NodeKind::cpu) return PathClass::phb;
    const std::size_t between = i + static_cast<std::size_t>(meet - to.begin());
    return between <= 2 ? PathClass::pix : PathClass::pxb;
  }
  const bool at_cpus = graph.node(from.back()).kind == NodeKind::cpu && graph.node(to.back()).kind == NodeKind::cpu;
  return at_cpus ? PathClass::sys : PathClass::none;
}

}  // namespace

bool is_gpu_link(const HardwareGraph& graph, const HardwareLink& link) {
  const auto fits = [&](int node) {
    const NodeKind kind = graph.node(node).kind;
    return kind == NodeKind::gpu || kind == NodeKind::nv_switch ||
           (kind == NodeKind::cpu && link.kind == LinkKind::direct);
  };
  return (link.kind == LinkKind::nvlink || link.kind == LinkKind::xgmi || link.kind == LinkKind::direct) &&
         fits(link.from) && fits(link.to);
}

std::vector<PathClass> path_classes(const HardwareGraph& graph, const std::vector<int>& nodes) {
  const GpuLinks links(graph);
  const std::size_t n = nodes.size();
  std::vector<std::vector<bool>> near;
  near.reserve(n);
  for (const int node : nodes) near.push_back(links.neighbours(node));
  const auto joined = [&](std::size_t a, std::size_t b) { return near[a][static_cast<std::size_t>(nodes[b])]; };
  std::vector<PathClass> classes(n * n, PathClass::none);
  const auto position = [&](int node) {
    return static_cast<std::size_t>(std::find(nodes.begin(), nodes.end(), node) - nodes.begin());
  };
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b) classes[a * n + b] = tree_class(graph, nodes[a], nodes[b]);
  for (const StatedClass& stated : graph.stated()) {
    const std::size_t a = position(stated.a), b = position(stated.b);
    if (a < n && b < n) classes[a * n + b] = classes[b * n + a] = stated.path;
  }
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      PathClass& path = classes[a * n + b];
      if (a == b) path = PathClass::self;
      if (a == b) continue;
      if (joined(a, b))
        path = PathClass::direct;
      else if (graph.node(nodes[a]).kind == NodeKind::gpu && graph.node(nodes[b]).kind == NodeKind::gpu)
        for (std::size_t c = 0; c < n && path != PathClass::via_gpu; ++c)
          if (c != a && c != b && joined(a, c) && joined(c, b)) path = PathClass::via_gpu;
    }
  }
  return classes;
}

bool joined_by_gpu_links(const HardwareGraph& graph, const std::vector<int>& nodes) {
  if (nodes.empty()) return false;
  const GpuLinks links(graph);
  std::vector<bool> seen(graph.nodes().size());
  std::vector<int> open{nodes[0]};
  seen[static_cast<std::size_t>(nodes[0])] = true;
  while (!open.empty()) {
    const std::vector<bool> near = links.neighbours(open.back());
    open.pop_back();
    for (const int node : nodes) {
      if (!near[static_cast<std::size_t>(node)] || seen[static_cast<std::size_t>(node)]) continue;
      seen[static_cast<std::size_t>(node)] = true;
      open.push_back(node);
    }
  }
  return std::all_of(nodes.begin(), nodes.end(), [&](int node) { return seen[static_cast<std::size_t>(node)]; });
}

}  // namespace treering::topology
