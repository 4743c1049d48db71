#include "engine/detect_host.h"

#include <hwloc.h>

#include <cstring>
#include <memory>
#include <type_traits>

namespace treering {
namespace {

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
  void operator()(hwloc_bitmap_t set) const { hwloc_bitmap_free(set); }
};
using Topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, Destroy>;
using Bitmap = std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, Destroy>;

/// With what this process may not use, so that all ranks of a machine see the same.
Topology load() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  Topology topology(raw);
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  return hwloc_topology_load(raw) == 0 ? std::move(topology) : nullptr;
}

/// Where there is one domain only, being bound to it says nothing.
int bound_domain(hwloc_topology_t topology) {
  if (hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE) < 2) return -1;
  const Bitmap bound(hwloc_bitmap_alloc());
  if (!bound || hwloc_get_cpubind(topology, bound.get(), HWLOC_CPUBIND_THREAD) != 0) return -1;
  hwloc_obj_t domain = nullptr;
  while ((domain = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, domain)) != nullptr)
    if (domain->cpuset != nullptr && hwloc_bitmap_iszero(bound.get()) == 0 &&
        hwloc_bitmap_isincluded(bound.get(), domain->cpuset) != 0)
      return static_cast<int>(domain->os_index);
  return -1;
}

}  // namespace

HostView detect_host() {
  HostView view;
  const Topology topology = load();
  char* text = nullptr;
  int length = 0;
  if (!topology || hwloc_topology_export_xmlbuffer(topology.get(), &text, &length, 0) != 0) return view;
  const std::string xml(text, std::strlen(text));  // `length` counts the final zero in some versions
  hwloc_free_xmlbuffer(topology.get(), text);
  topology::ReadOptions options;
  options.origin = topology::Origin::hwloc;
  view.graph = topology::read_topology(xml, "this machine", options).graph;
  view.source = "this machine (hwloc)";
  view.domain = bound_domain(topology.get());
  return view;
}

}  // namespace treering
