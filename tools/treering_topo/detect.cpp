#include "tools/treering_topo/detect.h"

#include <hwloc.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

namespace treering::tools {
namespace {

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, Destroy>;

Topology load() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  Topology topology(raw);
  hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  return hwloc_topology_load(raw) == 0 ? std::move(topology) : nullptr;
}

}  // namespace

topology::ReadResult detect_host(const topology::ReadOptions& options) {
  topology::ReadResult failed;
  const Topology host = load();
  char* text = nullptr;
  int length = 0;
  if (!host || hwloc_topology_export_xmlbuffer(host.get(), &text, &length, 0) != 0) {
    failed.warnings.push_back(std::string("hwloc cannot read this machine: ") + std::strerror(errno));
    return failed;
  }
  topology::ReadOptions as_hwloc = options;
  as_hwloc.origin = topology::Origin::hwloc;
  const std::string xml(text, std::strlen(text));  // `length` counts the final zero in some versions
  hwloc_free_xmlbuffer(host.get(), text);
  return topology::read_topology(xml, "this machine", as_hwloc);
}

}  // namespace treering::tools
