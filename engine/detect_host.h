#pragma once

#include "engine/rank_view.h"

namespace treering {

/// This machine as hwloc sees it: NUMA domains with their cores and caches, without PCIe, which takes longer to look
/// at; and the domain that the calling thread is bound to. Takes milliseconds. Never throws: what hwloc refuses to tell
/// is not known.
HostView detect_host();

}  // namespace treering
