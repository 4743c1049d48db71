#pragma once

#include <cstdint>

namespace treering {

/// What must be equal on every rank for them to turn one stream into the same batches and programs. Rank 0's values,
/// sent at start.
struct Tunables {
  std::uint64_t pack_limit = 128 * 1024;
  std::uint64_t batch_limit = 1024 * 1024;
  std::uint64_t piece_limit = 8 * 1024 * 1024;
  std::uint64_t window = 32 * 1024 * 1024;
  std::uint64_t chunk_bytes = 256 * 1024;
  std::uint64_t slot_bytes = 1024 * 1024;
  std::uint64_t one_shot_limit = 8 * 1024;
  std::uint64_t stall_warning_ns = 10'000'000'000;
  std::uint64_t stall_abort_ns = 0;
  std::uint32_t fanout = 8;
  std::uint32_t lanes = 4;
  std::uint32_t deterministic = 0;

  bool operator==(const Tunables&) const = default;
};

}  // namespace treering
