#include "topology/hardware/projection.h"

#include <algorithm>
#include <map>
#include <utility>

#include "topology/hardware/path_class.h"

namespace treering::topology {
namespace {

/// Directed capacities between any number of vertices, before it is known how many remain.
struct Draft {
  std::vector<int> nodes;
  std::vector<std::string> names;
  std::map<std::pair<int, int>, std::int64_t> capacity;

  int add(int node, std::string name) {
    nodes.push_back(node);
    names.push_back(std::move(name));
    return static_cast<int>(nodes.size()) - 1;
  }
};

struct Unit {
  bool links = true;          ///< else MB/s
  std::int64_t per_link = 0;  ///< MB/s of one link; 0 = not known
};

bool forwards(NodeKind kind) {
  return kind == NodeKind::nv_switch || kind == NodeKind::pci_switch || kind == NodeKind::cpu ||
         kind == NodeKind::other;
}

/// Links can be counted if all are equally fast (or none has a speed) and no port has a limit in MB/s.
Unit unit_of(const HardwareGraph& graph, const std::vector<HardwareLink>& used) {
  Unit unit;
  bool first = true, unknown = false;
  for (const HardwareLink& link : used) {
    const std::int64_t speed = link.capacity % link.count == 0 ? link.capacity / link.count : -1;
    if (!first && speed != unit.per_link) unit.links = false;
    if (link.kind == LinkKind::pcie || link.kind == LinkKind::cpu_bus || link.domain >= 0 || speed < 0)
      unit.links = false;
    const HardwareNode &from = graph.node(link.from), &to = graph.node(link.to);
    if (from.port_in || from.port_out || to.port_in || to.port_out) unit.links = false;
    if (link.capacity == 0) unknown = true;
    unit.per_link = speed;
    first = false;
  }
  if (unknown) return {true, 0};  // a speed that nobody knows cannot be compared with others
  return unit;
}

class Projector {
 public:
  Projector(const HardwareGraph& graph, std::span<const int> devices)
      : graph_(graph), devices_(devices.begin(), devices.end()) {}

  Projection run() {
    Projection result;
    gpu_links_only_ = joined_by_gpu_links(graph_, devices_);
    choose_links();
    unit_ = unit_of(graph_, used_);
    for (const int device : devices_) vertex(device);
    add_ports();
    for (const HardwareLink& link : used_) add(link);
    result.basis = basis();
    finish(result);
    return result;
  }

 private:
  bool taken(int node) const {
    return forwards(graph_.node(node).kind) || std::find(devices_.begin(), devices_.end(), node) != devices_.end();
  }

  void choose_links() {
    for (const HardwareLink& link : graph_.links())
      if (taken(link.from) && taken(link.to) && (!gpu_links_only_ || is_gpu_link(graph_, link))) used_.push_back(link);
    prune();
  }

  /// Drops what leads nowhere: forwarding nodes with fewer than two neighbours, again and again.
  void prune() {
    for (bool changed = true; changed;) {
      std::map<int, std::vector<int>> neighbours;
      for (const HardwareLink& link : used_) {
        neighbours[link.from].push_back(link.to);
        neighbours[link.to].push_back(link.from);
      }
      const auto dead_end = [&](int node) {
        const std::vector<int>& near = neighbours[node];
        return std::find(devices_.begin(), devices_.end(), node) == devices_.end() &&
               std::all_of(near.begin(), near.end(), [&](int other) { return other == near[0]; });
      };
      changed =
          std::erase_if(used_, [&](const HardwareLink& link) { return dead_end(link.from) || dead_end(link.to); }) > 0;
    }
  }

  int vertex(int node) {
    const auto found = vertices_.find(node);
    if (found != vertices_.end()) return found->second;
    return vertices_[node] = draft_.add(node, graph_.node(node).name);
  }

  /// A device with a port limit sends and receives through a vertex of its own.
  void add_ports() {
    for (const int device : devices_) {
      const HardwareNode& node = graph_.node(device);
      if (!node.port_in && !node.port_out) continue;
      const int port = draft_.add(-1, node.name + ".port");
      const auto limit = [&](std::int64_t speed) { return speed ? speed : HardwareGraph::most_speed; };
      draft_.capacity[{vertex(device), port}] = limit(node.port_out);
      draft_.capacity[{port, vertex(device)}] = limit(node.port_in);
      ports_[device] = port;
    }
  }

  int outlet(int node) {
    const auto port = ports_.find(node);
    return port == ports_.end() ? vertex(node) : port->second;
  }

  void add(const HardwareLink& link) {
    const std::int64_t capacity = unit_.links ? link.count : link.capacity;
    int from = outlet(link.from);
    const int to = outlet(link.to);
    if (link.domain >= 0) {
      const auto [in, out] = domain(link.domain);
      draft_.capacity[{from, in}] += capacity;
      from = out;
    }
    draft_.capacity[{from, to}] += capacity;
  }

  std::pair<int, int> domain(int index) {
    const auto found = domains_.find(index);
    if (found != domains_.end()) return found->second;
    const SharedDomain& shared = graph_.domains()[static_cast<std::size_t>(index)];
    const int in = draft_.add(-1, shared.name + ".in"), out = draft_.add(-1, shared.name + ".out");
    draft_.capacity[{in, out}] = shared.capacity;
    return domains_[index] = {in, out};
  }

  std::string basis() const {
    if (devices_.size() < 2) return "one device: nothing to connect";
    if (gpu_links_only_) {
      const bool switched = std::any_of(used_.begin(), used_.end(), [&](const HardwareLink& link) {
        return graph_.node(link.to).kind == NodeKind::nv_switch;
      });
      return switched ? "GPU links through switches join all devices; PCIe is left out"
                      : "direct links join all devices; PCIe is left out";
    }
    const bool some =
        std::any_of(used_.begin(), used_.end(), [&](const HardwareLink& link) { return is_gpu_link(graph_, link); });
    return some            ? "GPU links do not join all devices, so PCIe and CPU buses are used beside them"
           : used_.empty() ? "no link between these devices is known"
                           : "PCIe and CPU buses: there are no GPU links";
  }

  void finish(Projection& result) const {
    LinkGraph links(static_cast<int>(devices_.size()), static_cast<int>(draft_.nodes.size()));
    links.unit = unit_.links ? graph_.count_unit : "MB/s";
    links.bytes_per_second = unit_.links ? static_cast<double>(unit_.per_link) * 1e6 : 1e6;
    for (const auto& [ends, capacity] : draft_.capacity)
      if (ends.first != ends.second) links.at(ends.first, ends.second) = capacity;
    result.links = std::move(links);
    result.nodes = draft_.nodes;
    result.names = draft_.names;
    mark_near_network(result);
  }

  void mark_near_network(Projection& result) const {
    std::vector<int> all = devices_;
    for (const int nic : graph_.of_kind(NodeKind::nic)) all.push_back(nic);
    const std::vector<PathClass> classes = path_classes(graph_, all);
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      const auto near = [&](std::size_t nic) {
        const PathClass path = classes[i * all.size() + nic];
        return path == PathClass::pix || path == PathClass::pxb;
      };
      bool any = false;
      for (std::size_t nic = devices_.size(); nic < all.size(); ++nic) any = any || near(nic);
      if (any) result.near_network.push_back(static_cast<int>(i));
    }
  }

  const HardwareGraph& graph_;
  std::vector<int> devices_;
  bool gpu_links_only_ = false;
  std::vector<HardwareLink> used_;
  Unit unit_;
  Draft draft_;
  std::map<int, int> vertices_, ports_;
  std::map<int, std::pair<int, int>> domains_;
};

}  // namespace

Projection project(const HardwareGraph& graph, std::span<const int> devices) { return Projector(graph, devices).run(); }

}  // namespace treering::topology
