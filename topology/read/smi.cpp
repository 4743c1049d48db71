#include <algorithm>
#include <map>
#include <numeric>

#include "topology/hardware/usual_speeds.h"
#include "topology/read/context.h"
#include "topology/read/smi_table.h"

namespace treering::topology {
namespace {

/// Sets of devices that grow together.
class Groups {
 public:
  explicit Groups(std::size_t size) : leader_(size) { std::iota(leader_.begin(), leader_.end(), std::size_t{0}); }

  std::size_t of(std::size_t i) const {
    while (leader_[i] != i) i = leader_[i];
    return i;
  }
  void join(std::size_t a, std::size_t b) {
    const std::size_t one = of(a), other = of(b);
    leader_[std::max(one, other)] = std::min(one, other);
  }

 private:
  std::vector<std::size_t> leader_;
};

/// The matrix tells classes of paths; this builds the smallest PCIe tree that has them: one switch for devices at PIX,
/// a switch above for PXB, one CPU for what is no further than NODE.
class SmiGraph {
 public:
  SmiGraph(const SmiTable& table, ReadContext& context)
      : table_(table),
        context_(context),
        graph_(context.graph()),
        near_(table.devices.size()),
        wide_(near_),
        cpus_(near_) {}

  void build() {
    group();
    add_devices();
    add_tree();
    add_nvlinks();
    state_classes();
  }

 private:
  std::size_t size() const { return table_.devices.size(); }

  void state_classes() {
    for (std::size_t i = 0; i < size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const SmiCell& cell = table_.at(i, j);
        if (cell.known && cell.links == 0) graph_.state(node_[i], node_[j], cell.path);
      }
    }
  }

  /// Whether a path between these two CPUs is stated as SYS.
  bool told_apart(std::size_t a, std::size_t b) const {
    for (std::size_t i = 0; i < size(); ++i) {
      for (std::size_t j = 0; j < size(); ++j) {
        const SmiCell& cell = table_.at(i, j);
        if (cpus_.of(i) == a && cpus_.of(j) == b && cell.known && cell.path == PathClass::sys) return true;
      }
    }
    return false;
  }

  void join_cpus_unless_told_apart(std::size_t i, std::size_t j) {
    if (cpus_.of(i) != cpus_.of(j) && !told_apart(cpus_.of(i), cpus_.of(j))) cpus_.join(i, j);
  }

  void group() {
    for (std::size_t i = 0; i < size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const SmiCell& cell = table_.at(i, j);
        if (!cell.known || cell.links > 0) continue;
        if (cell.path <= PathClass::pix) near_.join(i, j);
        if (cell.path <= PathClass::pxb) wide_.join(i, j);
        if (cell.path <= PathClass::node) cpus_.join(i, j);
      }
    }
    // NVLink hides the PCIe path, so equal affinity, and then NVLink itself, are hints for what is on one CPU.
    for (std::size_t i = 0; i < size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (same_affinity(table_.devices[i], table_.devices[j])) join_cpus_unless_told_apart(i, j);
    for (std::size_t i = 0; i < size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (table_.at(i, j).links > 0 && table_.devices[i].cores.empty()) join_cpus_unless_told_apart(i, j);
  }

  static bool same_affinity(const SmiDevice& a, const SmiDevice& b) {
    return !a.cores.empty() && a.cores == b.cores && a.numa == b.numa;
  }

  void add_devices() {
    for (const SmiDevice& device : table_.devices) {
      HardwareNode node;
      node.kind = device.gpu >= 0 ? NodeKind::gpu : NodeKind::nic;
      node.name = device.name;
      node.number = device.gpu;
      node.detail = device.cores.empty() ? "" : "cores " + device.cores;
      node.found = context_.stated();
      if (node.kind == NodeKind::nic) {
        node.port_out = node.port_in = usual_network_speed;
        node.port_speed = context_.assumed("100 Gbit/s per network port");
      }
      node_.push_back(graph_.add_node(std::move(node)));
    }
  }

  int cpu_of(std::size_t device) {
    const auto found = cpu_nodes_.find(cpus_.of(device));
    if (found != cpu_nodes_.end()) return found->second;
    HardwareNode node;
    node.kind = NodeKind::cpu;
    node.number = static_cast<int>(cpu_nodes_.size());
    node.name = "CPU" + std::to_string(node.number);
    node.found = context_.assumed("devices no further than NODE share a CPU");
    return cpu_nodes_[cpus_.of(device)] = graph_.add_node(std::move(node));
  }

  int switch_below(int parent, std::map<std::size_t, int>& switches, std::size_t group) {
    const auto found = switches.find(group);
    if (found != switches.end()) return found->second;
    HardwareNode node;
    node.kind = NodeKind::pci_switch;
    node.name = "switch" + std::to_string(++switch_count_);
    node.parent = parent;
    node.found = context_.stated();
    const int added = graph_.add_node(std::move(node));
    link(added, parent);
    return switches[group] = added;
  }

  void link(int node, int parent) {
    HardwareLink link;
    link.from = node;
    link.to = parent;
    link.kind = LinkKind::pcie;
    link.capacity = usual_pcie_speed;
    link.found = context_.stated();
    link.speed = context_.assumed("PCIe 3.0 x16");
    graph_.add_both(link);
  }

  void add_tree() {
    const auto members = [&](const Groups& groups, std::size_t i) {
      std::size_t count = 0;
      for (std::size_t j = 0; j < size(); ++j) count += groups.of(j) == groups.of(i) ? 1U : 0U;
      return count;
    };
    std::map<std::size_t, int> upper, lower;
    for (std::size_t i = 0; i < size(); ++i) {
      int parent = cpu_of(i);
      const std::size_t near = members(near_, i), wide = members(wide_, i);
      if (wide > near) parent = switch_below(parent, upper, wide_.of(i));
      if (near > 1) parent = switch_below(parent, lower, near_.of(i));
      graph_.node(node_[i]).parent = parent;
      link(node_[i], parent);
    }
    add_buses();
  }

  void add_buses() {
    for (const auto& [group, cpu] : cpu_nodes_) {
      for (const auto& [other_group, other] : cpu_nodes_) {
        if (other_group >= group) continue;
        HardwareLink bus;
        bus.from = cpu;
        bus.to = other;
        bus.kind = LinkKind::cpu_bus;
        bus.capacity = cpu_bus_speed("", "", 0, 0);
        bus.found = bus.speed = context_.assumed("every two CPUs share a bus of usual speed");
        graph_.add_both(bus);
      }
    }
  }

  /// Behind NVSwitches every pair shows all links of the GPU, so a row sums to more links than a GPU has.
  bool behind_switches() const {
    const int most = context_.options().links_per_gpu > 0 ? context_.options().links_per_gpu : nvlinks_per_gpu(0);
    for (std::size_t i = 0; i < size(); ++i) {
      int sum = 0;
      for (std::size_t j = 0; j < size(); ++j)
        if (table_.devices[i].gpu >= 0 && table_.devices[j].gpu >= 0) sum += table_.at(i, j).links;
      if (sum > most) return true;
    }
    return false;
  }

  HardwareLink nvlink(int from, int to, int count) {
    HardwareLink link;
    link.from = from;
    link.to = to;
    link.kind = LinkKind::nvlink;
    link.count = count;
    const std::int64_t told = context_.options().link_speed;
    link.capacity = count * (told > 0 ? told : nvlink_speed(0));
    link.found = context_.stated();
    link.speed = context_.assumed(told > 0 ? "speed per link as told" : "25 GB/s per NVLink, the usual speed");
    return link;
  }

  void add_nvlinks() {
    if (behind_switches()) return add_switch();
    for (std::size_t i = 0; i < size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (const int count = table_.at(i, j).links; count > 0) graph_.add_both(nvlink(node_[i], node_[j], count));
  }

  void add_switch() {
    HardwareNode node;
    node.kind = NodeKind::nv_switch;
    node.name = "NVSwitch";
    node.found = context_.assumed("the rows show more NVLinks than a GPU has, so these run through switches");
    const int hub = graph_.add_node(std::move(node));
    for (std::size_t i = 0; i < size(); ++i) {
      int links = 0;
      for (std::size_t j = 0; j < size(); ++j) links = std::max(links, table_.at(i, j).links);
      if (links > 0) graph_.add_both(nvlink(node_[i], hub, links));
    }
  }

  const SmiTable& table_;
  ReadContext& context_;
  HardwareGraph& graph_;
  Groups near_, wide_, cpus_;
  std::vector<int> node_;
  std::map<std::size_t, int> cpu_nodes_;
  int switch_count_ = 0;
};

}  // namespace

void read_nvidia_smi(std::string_view text, ReadContext& context) {
  const SmiTable table = parse_smi_table(text, context);
  SmiGraph(table, context).build();
}

}  // namespace treering::topology
