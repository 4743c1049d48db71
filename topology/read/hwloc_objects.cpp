#include "topology/read/hwloc_objects.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/parse_value.h"
#include "topology/hardware/usual_speeds.h"
#include "topology/read/text_scan.h"

namespace treering::topology {
namespace {

constexpr int most_depth = 128;

using Element = pugi::xml_node;

bool is(const Element& object, std::string_view type) { return type == object.attribute("type").value(); }

std::string key_of(const Element& object) {
  return std::string(object.attribute("type").value()) + ":" + object.attribute("gp_index").value();
}

/// First two bytes of the PCI class: "0302 [10de:15f9] ..." gives "0302".
std::string_view pci_class(const Element& object) {
  return std::string_view(object.attribute("pci_type").value()).substr(0, 4);
}

/// In MB/s; 0 if there is none. hwloc writes GB/s, and 1 or less for devices that sleep or have no such bus.
std::int64_t link_speed(const Element& object) {
  const std::string_view text = object.attribute("pci_link_speed").value();
  double speed = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), speed, std::chars_format::fixed);
  return parsed.ec == std::errc() && speed > 1 && speed < 1e5 ? std::llround(speed * 1000) : 0;
}

/// Number in a name such as "nvml3"; -1 if the name does not begin so.
int numbered(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return -1;
  return static_cast<int>(to_integer(name.substr(prefix.size()), 0, 1 << 16).value_or(-1));
}

std::string info(const Element& object, std::string_view name) {
  for (const Element& entry : object.children("info"))
    if (name == entry.attribute("name").value()) return entry.attribute("value").value();
  return {};
}

class ObjectReader {
 public:
  explicit ObjectReader(ReadContext& context) : context_(context), graph_(context.graph()) {}

  HwlocObjects read(const Element& topology) {
    Place place;
    for (const Element& object : topology.children("object")) walk(object, place, 0);
    for (const auto& [index, share] : domains_) describe(index, share);
    join_domains();
    number_gpus();
    return std::move(objects_);
  }

 private:
  /// Where in the tree the walk is.
  struct Place {
    int domain = -1;         ///< NUMA domain
    int parent = -1;         ///< what a PCI device found here hangs under
    std::int64_t speed = 0;  ///< slowest bridge since the parent
    std::int64_t bus_speed = 10000;
  };
  struct Share {
    int cores = 0, threads = 0, caches = 0;
    std::int64_t cache_bytes = 0, memory = 0, bus_speed = 10000;
  };

  void walk(const Element& object, Place place, int depth) {
    if (depth > most_depth) throw Unreadable("objects nested more than " + std::to_string(most_depth) + " deep");
    if (is(object, "Package")) {
      const auto number = [&](const char* name) {
        return static_cast<int>(to_integer(info(object, name), 0, 1 << 16).value_or(0));
      };
      place.bus_speed =
          cpu_bus_speed("", info(object, "CPUVendor"), number("CPUFamilyNumber"), number("CPUModelNumber"));
    }
    enter_domain(object, place);
    count(object, place);
    if (is(object, "Bridge")) enter_bridge(object, place);
    if (is(object, "PCIDev")) return add_device(object, place);
    const std::size_t before = domains_.size();
    for (const Element& child : object.children("object")) walk(child, place, depth + 1);
    if (!is(object, "Package") && !is(object, "NUMANode") && !is(object, "Machine")) return;
    if (place.domain >= 0)
      objects_[key_of(object)] = place.domain;
    else if (domains_.size() > before)
      objects_[key_of(object)] = domains_[before].first;
  }

  /// In hwloc 2 a NUMA domain is a child of what it is local to; in hwloc 1 it contains that.
  void enter_domain(const Element& object, Place& place) {
    if (is(object, "NUMANode")) {
      if (object.child("object")) place.domain = place.parent = add_domain(object, place);
      return;
    }
    for (const Element& child : object.children("object")) {
      if (!is(child, "NUMANode") || child.child("object")) continue;
      if (std::string_view(child.attribute("subtype").value()) == "GPUMemory") continue;
      place.domain = place.parent = add_domain(child, place);
    }
  }

  int add_domain(const Element& object, const Place& place) {
    HardwareNode node;
    node.kind = NodeKind::cpu;
    node.number = static_cast<int>(to_integer(object.attribute("os_index").value(), 0, 1 << 16).value_or(-1));
    node.name = "NUMA" + (node.number >= 0 ? std::to_string(node.number) : "");
    node.found = context_.stated();
    const int index = graph_.add_node(std::move(node));
    Share share;
    share.memory = to_integer(object.attribute("local_memory").value(), 0).value_or(0);
    share.bus_speed = place.bus_speed;
    domains_.emplace_back(index, share);
    return index;
  }

  void count(const Element& object, const Place& place) {
    const auto domain =
        std::find_if(domains_.begin(), domains_.end(), [&](const auto& one) { return one.first == place.domain; });
    if (domain == domains_.end()) return;
    Share& share = domain->second;
    if (is(object, "Core")) ++share.cores;
    if (is(object, "PU")) ++share.threads;
    const bool old_cache = is(object, "Cache") && std::string_view(object.attribute("depth").value()) == "3";
    if (!is(object, "L3Cache") && !old_cache) return;
    ++share.caches;
    share.cache_bytes = to_integer(object.attribute("cache_size").value(), 0).value_or(0);
  }

  void describe(int index, const Share& share) {
    std::string text = std::to_string(share.cores) + " cores, " + std::to_string(share.threads) + " threads";
    if (share.caches > 0)
      text += ", " + std::to_string(share.caches) + " L3 of " + std::to_string(share.cache_bytes >> 20) + " MiB";
    if (share.memory > 0) text += ", " + std::to_string(share.memory >> 30) + " GiB";
    graph_.node(index).detail = text;
  }

  void enter_bridge(const Element& object, Place& place) {
    if (place.parent < 0) place.domain = place.parent = nowhere();
    const std::int64_t speed = link_speed(object);
    if (speed > 0) place.speed = place.speed > 0 ? std::min(place.speed, speed) : speed;
    const auto devices = object.children("object");
    if (std::distance(devices.begin(), devices.end()) < 2 ||
        std::string_view(object.attribute("bridge_type").value()) == "0-1")
      return;
    HardwareNode node;
    node.kind = NodeKind::pci_switch;
    node.bus_id = safe_name(object.attribute("pci_busid").value(), "");
    node.name = "switch:" + node.bus_id;
    node.parent = place.parent;
    node.found = context_.stated();
    const int index = graph_.add_node(std::move(node));
    link(index, place.parent, place.speed);
    place.parent = index;
    place.speed = 0;
  }

  /// The NUMA domain of devices that hang nowhere.
  int nowhere() {
    if (!domains_.empty()) return domains_[0].first;
    HardwareNode node;
    node.kind = NodeKind::cpu;
    node.name = "CPU0";
    node.found = context_.assumed("the file has no NUMA domain; one is taken");
    const int index = graph_.add_node(std::move(node));
    domains_.emplace_back(index, Share{});
    return index;
  }

  void add_device(const Element& object, Place place) {
    if (place.parent < 0) place.domain = place.parent = nowhere();
    HardwareNode node;
    node.bus_id = safe_name(object.attribute("pci_busid").value(), "");
    node.parent = place.parent;
    node.found = context_.stated();
    if (std::string_view(object.attribute("subtype").value()) == "NVSwitch") {
      objects_[key_of(object)] = nv_switch();
      return;
    }
    if (!name_gpu(object, node) && !name_nic(object, node)) return;
    const std::int64_t speed = link_speed(object);
    const int index = graph_.add_node(std::move(node));
    link(index, place.parent,
         place.speed > 0 && speed > 0 ? std::min(place.speed, speed) : std::max(place.speed, speed));
    objects_[key_of(object)] = index;
    for (const Element& child : object.children("object"))
      if (is(child, "OSDev")) objects_[key_of(child)] = index;
  }

  static bool name_gpu(const Element& object, HardwareNode& node) {
    int number = -1;
    for (const std::string_view prefix : {"nvml", "rsmi", "cuda", "ze"})
      for (const Element& child : object.children("object"))
        if (number < 0) number = numbered(child.attribute("name").value(), prefix);
    if (number < 0 && pci_class(object) != "0302") return false;
    node.kind = NodeKind::gpu;
    node.number = number;
    node.name = number >= 0 ? "GPU" + std::to_string(number) : "GPU:" + node.bus_id;
    for (const Element& child : object.children("object"))
      for (const char* word : {"GPUModel", "Model"})
        if (node.detail.empty()) node.detail = info(child, word).substr(0, 64);
    return true;
  }

  bool name_nic(const Element& object, HardwareNode& node) {
    if (!pci_class(object).starts_with("02")) return false;
    std::string_view name;
    for (const Element& child : object.children("object")) {
      const std::string_view candidate = child.attribute("name").value();
      if (name.empty() || candidate.starts_with("mlx") || candidate.starts_with("hfi")) name = candidate;
    }
    if (name.empty() && pci_class(object) != "0207") return false;  // InfiniBand counts without a driver, too
    node.kind = NodeKind::nic;
    node.name = safe_name(name, "NIC:" + node.bus_id);
    node.port_out = node.port_in = usual_network_speed;
    node.port_speed = context_.assumed("100 Gbit/s per network port");
    return true;
  }

  void link(int node, int parent, std::int64_t speed) {
    HardwareLink link;
    link.from = node;
    link.to = parent;
    link.kind = LinkKind::pcie;
    link.capacity = speed > 0 ? speed : usual_pcie_speed;
    link.found = context_.stated();
    link.speed = speed > 0 ? context_.stated() : context_.assumed("PCIe 3.0 x16");
    graph_.add_both(link);
  }

  int nv_switch() {
    if (switch_ >= 0) return switch_;
    HardwareNode node;
    node.kind = NodeKind::nv_switch;
    node.name = "NVSwitch";
    node.found = context_.stated();
    return switch_ = graph_.add_node(std::move(node));
  }

  void join_domains() {
    if (domains_.size() > 256) throw Unreadable("more than 256 NUMA domains");
    for (std::size_t i = 0; i < domains_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        HardwareLink bus;
        bus.from = domains_[i].first;
        bus.to = domains_[j].first;
        bus.kind = LinkKind::cpu_bus;
        bus.capacity = std::min(domains_[i].second.bus_speed, domains_[j].second.bus_speed);
        bus.found = bus.speed = context_.assumed("every two NUMA domains share a bus; speed by processor model");
        graph_.add_both(bus);
      }
    }
  }

  void number_gpus() {
    int next = 0;
    for (const int gpu : graph_.of_kind(NodeKind::gpu)) {
      HardwareNode& node = graph_.node(gpu);
      if (node.number < 0) node.name = "GPU" + std::to_string(next);
      if (node.number < 0) node.number = next;
      next = std::max(next, node.number) + 1;
    }
  }

  ReadContext& context_;
  HardwareGraph& graph_;
  HwlocObjects objects_;
  std::vector<std::pair<int, Share>> domains_;
  int switch_ = -1;
};

}  // namespace

HwlocObjects read_hwloc_objects(const pugi::xml_node& topology, ReadContext& context) {
  return ObjectReader(context).read(topology);
}

}  // namespace treering::topology
