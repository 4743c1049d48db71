#pragma once

#include "treering/config.h"

namespace treering::test {

/// Reaches every path with little data: several chunks, small slots, many batches and pieces.
inline Config small_config(Config config) {
  config.heap_bytes = std::size_t{64} << 20;
  config.slot_bytes = 64 * 1024;
  config.chunk_bytes = 16 * 1024;
  config.pack_limit = 4096;
  config.batch_limit = 16 * 1024;
  config.piece_limit = 256 * 1024;
  config.window = 512 * 1024;
  return config;
}

}  // namespace treering::test
