#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "topology/hardware/projection.h"
#include "topology/read/plain.h"
#include "topology/read/read.h"

using namespace treering::topology;

/// Any text, in whichever format, is either refused with a reason or gives a graph that can be projected, written and
/// read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ReadResult result = read_topology(text, "fuzz");
  if (!result.graph) {
    if (result.warnings.empty()) std::abort();
    return 0;
  }
  const std::vector<int> devices = result.graph->devices();
  if (devices.size() <= 64) {
    const Projection projection = project(*result.graph, devices);
    if (projection.links.members != static_cast<int>(devices.size())) std::abort();
  }
  if (!read_topology(plain_text(*result.graph), "again").graph) std::abort();
  return 0;
}
