#pragma once

#include <cstddef>
#include <span>

#include "device/host/level.h"
#include "device/reduction_rules.h"

namespace treering::device {

// The public face of one level.

template <const LevelKernels& level>
void copy_with(const std::byte* source, std::span<std::byte* const> destinations, std::size_t bytes) {
  const bool nothing_moves = destinations.empty() || (destinations.size() == 1 && destinations[0] == source);
  if (!nothing_moves) level.copy(source, destinations.data(), destinations.size(), bytes);
}

template <const LevelKernels& level>
void reduce_with(const Reduction& what, std::span<const std::byte* const> sources,
                 std::span<std::byte* const> destinations, std::size_t bytes) {
  const Reduction needed = without_idle_factors(what);
  if (is_plain_copy(needed, sources.size())) {
    copy_with<level>(sources[0], destinations, bytes);
    return;
  }
  level.reduce[static_cast<std::size_t>(needed.type)][static_cast<std::size_t>(needed.op)](
      needed, sources.data(), sources.size(), destinations.data(), destinations.size(), bytes);
}

/// The levels that this CPU can run, from the plainest to the best; one file per architecture.
std::span<const HostKernels* const> supported_levels();

}  // namespace treering::device
