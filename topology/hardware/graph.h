#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace treering::topology {

enum class NodeKind : unsigned char { gpu, nv_switch, pci_switch, cpu, nic, other };
enum class LinkKind : unsigned char { nvlink, xgmi, c2c, pcie, cpu_bus, direct };

/// How two devices reach each other, best first. `direct` is any link between the two (NVLink, XGMI, also through
/// NVSwitches); `via_gpu` two such links through a third GPU. The rest are PCIe: one switch, several, a CPU's host
/// bridge, other bridges of the same NUMA domain, between NUMA domains.
enum class PathClass : unsigned char { self, direct, via_gpu, pix, pxb, phb, node, sys, none };

/// Where a fact comes from; `assumed` means that no source says so and a usual value stands in.
enum class Origin : unsigned char { file, hwloc, command, assumed };
struct Provenance {
  Origin origin = Origin::assumed;
  std::string detail;
  friend bool operator==(const Provenance&, const Provenance&) = default;
};

/// A device, a switch or a NUMA domain ("cpu"). Facts point into HardwareGraph::provenances.
struct HardwareNode {
  NodeKind kind = NodeKind::other;
  std::string name;           ///< unique, no blanks
  std::string bus_id;         ///< PCI address, may be empty
  std::string detail;         ///< for people: model, cores, caches
  int number = -1;            ///< of a GPU or NUMA domain, as its source counts; -1 = not known
  int parent = -1;            ///< next node towards the CPU on the PCIe tree; -1 = not known
  int architecture = 0;       ///< compute capability times ten (70 = V100); 0 = not known
  std::int64_t port_out = 0;  ///< MB/s of all its links together; 0 = not limited
  std::int64_t port_in = 0;
  int found = -1;       ///< who says that it exists
  int port_speed = -1;  ///< who says what its ports carry
};

/// One direction of one or several parallel links between two nodes.
struct HardwareLink {
  int from = 0;
  int to = 0;
  LinkKind kind = LinkKind::direct;
  int count = 1;                ///< parallel links
  std::int64_t capacity = 0;    ///< MB/s of all of them; 0 = not known
  std::int64_t latency_ns = 0;  ///< 0 = not known
  int domain = -1;              ///< index of the physical port that this shares with other links; -1 = its own
  int found = -1;               ///< who says that it exists
  int speed = -1;               ///< who says how fast it is
};

/// Links that share one physical port, and what that can carry in each direction.
struct SharedDomain {
  std::string name;
  std::int64_t capacity = 0;  ///< MB/s
  int found = -1;
};

/// A class that a source states without saying which links make it so (nvidia-smi).
struct StatedClass {
  int a = 0;
  int b = 0;
  PathClass path = PathClass::none;
};

/// Input that cannot be used; the text is the reason, for people.
struct Unreadable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What is connected to what. Sizes are bounded: adding more than the bounds throws Unreadable, because the content
/// comes from files that nobody vouches for.
class HardwareGraph {
 public:
  static constexpr std::size_t most_nodes = 2048;
  static constexpr std::size_t most_links = 65536;
  static constexpr int most_gpus = 256;
  static constexpr int most_count = 4096;                                  ///< parallel links
  static constexpr std::int64_t most_speed = std::int64_t{1'000'000'000};  ///< MB/s

  const std::vector<HardwareNode>& nodes() const { return nodes_; }
  const std::vector<HardwareLink>& links() const { return links_; }
  const std::vector<SharedDomain>& domains() const { return domains_; }
  const std::vector<StatedClass>& stated() const { return stated_; }
  const std::vector<Provenance>& provenances() const { return provenances_; }

  int provenance(Origin origin, std::string_view detail);  ///< index; equal ones share it
  int add_node(HardwareNode node);                         ///< names the node anew if the name is taken
  void add_link(const HardwareLink& link);                 ///< one direction; more of the same pair and kind add up
  void add_both(const HardwareLink& link);                 ///< both directions
  int add_domain(SharedDomain domain);
  void state(int a, int b, PathClass path);
  HardwareNode& node(int index) { return nodes_[static_cast<std::size_t>(index)]; }
  const HardwareNode& node(int index) const { return nodes_[static_cast<std::size_t>(index)]; }

  int find(std::string_view name) const;                ///< -1 if there is none
  std::vector<int> of_kind(NodeKind kind) const;        ///< by number, then by index
  const HardwareLink* between(int from, int to) const;  ///< fastest link; nullptr if there is none

  /// What plans can run over: GPUs, or NUMA domains where there is no GPU.
  std::vector<int> devices() const;

  std::string count_unit = "links";  ///< what HardwareLink::count counts where no speed is known

 private:
  std::vector<HardwareNode> nodes_;
  std::vector<HardwareLink> links_;
  std::map<std::array<int, 4>, std::size_t> link_of_;  ///< from, to, kind, domain
  std::vector<SharedDomain> domains_;
  std::vector<StatedClass> stated_;
  std::vector<Provenance> provenances_;
  int gpus_ = 0;
};

std::string_view name_of(NodeKind kind);
std::string_view name_of(LinkKind kind);
std::string_view name_of(PathClass path);  ///< as nvidia-smi and NCCL write it: X, NVL, NVB, PIX, ...
std::string_view name_of(Origin origin);

}  // namespace treering::topology
