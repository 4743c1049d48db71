#include <pugixml.hpp>

#include <algorithm>
#include <map>
#include <optional>

#include "base/parse_value.h"
#include "topology/hardware/usual_speeds.h"
#include "topology/read/context.h"
#include "topology/read/text_scan.h"

namespace treering::topology {
namespace {

constexpr int most_depth = 32;

/// "0x030200" without its last byte; -1 if there is none.
int class_of(const char* text) {
  std::string_view digits = text;
  if (!digits.starts_with("0x") || digits.size() < 6) return -1;
  int value = 0;
  for (const char c : digits.substr(2, 4)) {
    const std::string_view all = "0123456789abcdef";
    const std::size_t digit = all.find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
    if (digit == std::string_view::npos) return -1;
    value = value * 16 + static_cast<int>(digit);
  }
  return value;
}

bool is_gpu_class(int pci_class) { return pci_class == 0x0300 || pci_class == 0x0302; }

int integer(const pugi::xml_node& element, const char* attribute, int otherwise) {
  return static_cast<int>(to_integer(element.attribute(attribute).value(), 0, 1 << 20).value_or(otherwise));
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

/// A link of a GPU to something that may come later in the file.
struct Pending {
  int gpu = 0;
  LinkKind kind = LinkKind::nvlink;
  int count = 1;
  std::string target;
  int target_class = -1;
};

/// NCCL_TOPO_FILE and what NCCL_TOPO_DUMP_FILE writes, versions 1 and 2. Attributes that are not known are ignored.
class NcclReader {
 public:
  explicit NcclReader(ReadContext& context) : context_(context), graph_(context.graph()) {}

  void read(const pugi::xml_node& system) {
    const std::string_view version = system.attribute("version").value();
    if (version != "1" && version != "2")
      context_.warn("version " + quoted(version) + " of the format is not known; read as version 1");
    for (const pugi::xml_node& cpu : system.children("cpu")) read_cpu(cpu);
    join_cpus();
    number_gpus();
    for (const Pending& link : pending_) connect(link);
    mirror();
    warn_about_links();
  }

 private:
  void warn_about_links() {
    if (self_links_ > 0)
      context_.warn(std::to_string(self_links_) + " NVLinks lead from a GPU to itself and are ignored");
    if (lost_links_ > 0) {
      context_.warn(std::to_string(lost_links_) +
                    " NVLinks lead to devices that the file does not have and are ignored");
    }
    if (graph_.of_kind(NodeKind::gpu).empty()) {
      context_.warn("no device is marked as a GPU (" + std::to_string(graph_.of_kind(NodeKind::other).size()) +
                    " have no class); NCCL adds the classes when it runs on the machine. What is "
                    "left to plan for are its NUMA domains");
    } else if (pending_.empty()) {
      context_.warn("no NVLink in the file; where the machine has them, NCCL adds them when it runs");
    }
  }

  void read_cpu(const pugi::xml_node& element) {
    HardwareNode cpu;
    cpu.kind = NodeKind::cpu;
    cpu.number = integer(element, "numaid", -1);
    cpu.name = "CPU" + (cpu.number >= 0 ? std::to_string(cpu.number) : "");
    cpu.found = context_.stated();
    const std::string host = element.attribute("host_hash").value();
    const std::int64_t speed = cpu_bus_speed(element.attribute("arch").value(), element.attribute("vendor").value(),
                                             integer(element, "familyid", 0), integer(element, "modelid", 0));
    const int index = graph_.add_node(std::move(cpu));
    cpus_.push_back({index, host, speed});
    read_children(element, index, 0);
  }

  void read_children(const pugi::xml_node& element, int parent, int depth) {
    if (depth > most_depth) throw Unreadable("devices nested more than " + std::to_string(most_depth) + " deep");
    for (const pugi::xml_node& child : element.children("pci")) read_pci(child, parent, depth);
    for (const pugi::xml_node& child : element.children("nic"))
      for (const pugi::xml_node& net : child.children("net")) read_net(net, parent);
  }

  void read_pci(const pugi::xml_node& element, int parent, int depth) {
    const pugi::xml_node gpu = element.child("gpu");
    const int pci_class = class_of(element.attribute("class").value());
    HardwareNode node;
    node.bus_id = lower(safe_name(element.attribute("busid").value(), ""));
    node.parent = parent;
    node.found = context_.stated();
    if (gpu || is_gpu_class(pci_class))
      describe_gpu(gpu, node);
    else if (element.child("pci") || element.child("nic") || pci_class == 0x0604)
      node.kind = NodeKind::pci_switch;  // or a network card, between its ports and the bus
    else if (pci_class >= 0 && pci_class >> 8 == 0x02)
      node.kind = NodeKind::nic;
    if (node.name.empty()) node.name = (node.kind == NodeKind::nic ? "NIC:" : "pci:") + node.bus_id;
    if (node.kind == NodeKind::nic) {
      node.port_out = node.port_in = usual_network_speed;
      node.port_speed = context_.assumed("100 Gbit/s per network port");
    }
    // A card with named ports is no level of its own: its ports hang where it hangs, at its speed.
    const bool card = node.kind == NodeKind::pci_switch && element.child("nic") && !element.child("pci");
    if (card) return read_ports(element, parent);
    const int index = graph_.add_node(std::move(node));
    if (const std::string& bus = graph_.node(index).bus_id; !bus.empty() && !by_bus_.emplace(bus, index).second)
      context_.warn("two devices have the bus address " + bus);
    link_up(element, index, parent);
    if (gpu) read_gpu_links(gpu, index);
    read_children(element, index, depth + 1);
  }

  static void describe_gpu(const pugi::xml_node& gpu, HardwareNode& node) {
    node.kind = NodeKind::gpu;
    node.number = integer(gpu, "dev", -1);
    node.architecture = static_cast<int>(to_integer(gpu.attribute("sm").value(), 10, 10000).value_or(0));
    node.name = node.number >= 0 ? "GPU" + std::to_string(node.number) : "GPU:" + node.bus_id;
  }

  void read_ports(const pugi::xml_node& element, int parent) {
    for (const pugi::xml_node& nic : element.children("nic"))
      for (const pugi::xml_node& net : nic.children("net")) link_up(element, read_net(net, parent), parent);
  }

  int read_net(const pugi::xml_node& element, int parent) {
    HardwareNode nic;
    nic.kind = NodeKind::nic;
    nic.name = safe_name(element.attribute("name").value(), "NIC");
    nic.number = integer(element, "dev", -1);
    nic.parent = parent;
    nic.found = context_.stated();
    const auto megabits = to_integer(element.attribute("speed").value(), 1, 8 * HardwareGraph::most_speed);
    nic.port_out = nic.port_in = megabits ? std::max<std::int64_t>(1, *megabits / 8) : usual_network_speed;
    nic.port_speed = megabits ? context_.stated() : context_.assumed("100 Gbit/s per network port");
    return graph_.add_node(std::move(nic));
  }

  void link_up(const pugi::xml_node& element, int node, int parent) {
    HardwareLink link;
    link.from = node;
    link.to = parent;
    link.kind = LinkKind::pcie;
    link.found = context_.stated();
    const auto speed = pcie_speed(element.attribute("link_speed").value(), integer(element, "link_width", 0));
    link.capacity = speed.value_or(usual_pcie_speed);
    link.speed = speed ? context_.stated() : context_.assumed("PCIe 3.0 x16");
    graph_.add_both(link);
  }

  void read_gpu_links(const pugi::xml_node& gpu, int index) {
    for (const pugi::xml_node& element : gpu.children()) {
      const std::string_view name = element.name();
      if (name == "c2c") read_c2c(element, index);
      if (name != "nvlink" && name != "xgmi") continue;
      Pending link;
      link.gpu = index;
      link.kind = name == "xgmi" ? LinkKind::xgmi : LinkKind::nvlink;
      link.count = integer(element, "count", 1);
      link.target = lower(element.attribute("target").value());
      link.target_class = class_of(element.attribute("tclass").value());
      if (link.count >= 1) pending_.push_back(std::move(link));
      if (pending_.size() > HardwareGraph::most_links) throw Unreadable("too many NVLinks");
    }
  }

  /// Chip to chip: bandwidth of one link in MB/s, to the CPU that the GPU belongs to.
  void read_c2c(const pugi::xml_node& element, int gpu) {
    const auto speed = to_integer(element.attribute("bw").value(), 1, HardwareGraph::most_speed);
    if (!speed) return context_.warn("a c2c link without bandwidth is ignored");
    HardwareLink link;
    link.from = gpu;
    link.to = cpu_above(gpu);
    link.kind = LinkKind::c2c;
    link.count = std::clamp(integer(element, "count", 1), 1, 64);
    link.capacity = std::min(*speed * link.count, HardwareGraph::most_speed);
    link.found = link.speed = context_.stated();
    graph_.add_both(link);
  }

  int cpu_above(int node) const {
    while (graph_.node(node).parent >= 0) node = graph_.node(node).parent;
    return node;
  }

  /// GPUs that the file does not number get numbers in the order of the file.
  void number_gpus() {
    int next = 0;
    for (const int gpu : graph_.of_kind(NodeKind::gpu)) {
      HardwareNode& node = graph_.node(gpu);
      if (node.number < 0) node.name = "GPU" + std::to_string(next);
      if (node.number < 0) node.number = next;
      next = std::max(next, node.number) + 1;
    }
  }

  void join_cpus() {
    for (std::size_t i = 0; i < cpus_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (cpus_[i].host != cpus_[j].host) continue;
        HardwareLink bus;
        bus.from = cpus_[i].node;
        bus.to = cpus_[j].node;
        bus.kind = LinkKind::cpu_bus;
        bus.capacity = std::min(cpus_[i].bus_speed, cpus_[j].bus_speed);
        bus.found = bus.speed = context_.assumed("every two CPUs of a host share a bus; speed by processor model");
        graph_.add_both(bus);
      }
      if (cpus_[i].host != cpus_[0].host && !several_hosts_) {
        several_hosts_ = true;
        context_.warn("the file describes several hosts; the network between them is not read");
      }
    }
  }

  void connect(const Pending& pending) {
    const auto found = by_bus_.find(pending.target);
    int target = found == by_bus_.end() ? -1 : found->second;
    if (target == pending.gpu) return static_cast<void>(self_links_ += pending.count);
    if (target < 0 || graph_.node(target).kind != NodeKind::gpu) {
      if (pending.target_class == 0x0680)
        target = pending_is_cpu(pending) ? cpu_above(pending.gpu) : nv_switch();
      else
        return static_cast<void>(lost_links_ += pending.count);
    }
    HardwareLink link;
    link.from = pending.gpu;
    link.to = target;
    link.kind = pending.kind;
    link.count = std::min(pending.count, HardwareGraph::most_count);
    const int architecture = graph_.node(pending.gpu).architecture;
    const std::int64_t told = context_.options().link_speed;
    link.capacity = link.count * (told > 0                         ? told
                                  : pending.kind == LinkKind::xgmi ? xgmi_speed
                                                                   : nvlink_speed(architecture));
    link.found = context_.stated();
    link.speed =
        context_.assumed(told > 0 ? "speed per link as told" : "nominal speed of a link of this GPU generation");
    const bool gpu = graph_.node(target).kind == NodeKind::gpu;
    gpu ? graph_.add_link(link) : graph_.add_both(link);  // the other GPU lists its own direction
  }

  /// IBM's bridges differ from NVSwitches in the last byte of the class only; a host of POWER has no NVSwitches.
  bool pending_is_cpu(const Pending& pending) const {
    const int cpu = cpu_above(pending.gpu);
    return std::any_of(cpus_.begin(), cpus_.end(),
                       [&](const Cpu& one) { return one.node == cpu && one.bus_speed == 32000; });
  }

  /// All NVSwitches of a host carry what any pair can send, so they are one vertex, as NCCL takes them.
  int nv_switch() {
    if (switch_ >= 0) return switch_;
    HardwareNode node;
    node.kind = NodeKind::nv_switch;
    node.name = "NVSwitch";
    node.found = context_.stated();
    return switch_ = graph_.add_node(std::move(node));
  }

  /// NVLinks work in both directions; a file may list them at one end only.
  void mirror() {
    std::map<std::pair<int, int>, HardwareLink> listed;
    for (const HardwareLink& link : graph_.links())
      if (link.kind == LinkKind::nvlink || link.kind == LinkKind::xgmi) listed[{link.from, link.to}] = link;
    for (const auto& [ends, link] : listed) {
      const auto back = listed.find({ends.second, ends.first});
      if (back != listed.end() && back->second.count == link.count) continue;
      const std::string names = graph_.node(ends.first).name + " and " + graph_.node(ends.second).name;
      if (back != listed.end()) {
        if (ends.first < ends.second)
          context_.warn(names + " list different numbers of links to each other; taken as directed");
        continue;
      }
      context_.warn("the links between " + names + " are listed at one end only; taken as going both ways");
      HardwareLink other = link;
      std::swap(other.from, other.to);
      graph_.add_link(other);
    }
  }

  struct Cpu {
    int node;
    std::string host;
    std::int64_t bus_speed;
  };

  ReadContext& context_;
  HardwareGraph& graph_;
  std::vector<Cpu> cpus_;
  std::map<std::string, int> by_bus_;
  std::vector<Pending> pending_;
  int switch_ = -1;
  std::int64_t self_links_ = 0, lost_links_ = 0;
  bool several_hosts_ = false;
};

}  // namespace

void read_nccl_xml(std::string_view text, ReadContext& context) {
  pugi::xml_document document;
  const auto parsed = document.load_buffer(text.data(), text.size());
  if (!parsed)
    throw Unreadable(std::string("the XML is broken at byte ") + std::to_string(parsed.offset) + ": " +
                     parsed.description());
  NcclReader(context).read(document.child("system"));
}

}  // namespace treering::topology
