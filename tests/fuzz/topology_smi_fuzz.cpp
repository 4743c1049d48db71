#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "topology/read/read.h"

using namespace treering::topology;

namespace {

/// Bytes choose words of nvidia-smi's vocabulary, so that the fuzzer need not find it letter by letter.
std::string table_from(const std::uint8_t* data, std::size_t size) {
  static constexpr const char* words[] = {"GPU0", "GPU1",    "GPU2", "GPU3",         "NIC0", "mlx5_0",  "X",   "NV1",
                                          "NV2",  "NV12",    "PIX",  "PXB",          "PHB",  "NODE",    "SYS", "N/A",
                                          "?",    "0-3",     "0",    "CPU Affinity", "NUMA", "\n",      "\t",  "\r\n",
                                          " ",    "\x1b[4m", "NV",   "own",          "GPU",  "Affinity"};
  std::string text = "\tGPU0\tGPU1";
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] >= 128) text += '\t';
    text += words[data[i] % std::size(words)];
  }
  return text;
}

}  // namespace

/// What looks like nvidia-smi's matrix is refused with a reason or has symmetric links.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ReadResult result = read_topology(table_from(data, size), "fuzz");
  if (!result.graph) return result.warnings.empty() ? std::abort(), 0 : 0;
  for (const HardwareLink& link : result.graph->links()) {
    const HardwareLink* back = result.graph->between(link.to, link.from);
    if (!back || back->count != result.graph->between(link.from, link.to)->count) std::abort();
  }
  return 0;
}
