#pragma once

#include <cstddef>
#include <vector>

#include "base/round.h"
#include "base/tunables.h"
#include "fusion/batch.h"

namespace treering::fusion {

/// A batch never has more segments than this, whatever the sizes.
inline constexpr std::size_t max_segments = 256;

/// Which tensors of `round` travel together. Depends on nothing but its arguments, so every rank that sees the same
/// stream computes the same batches.
///
/// Tensors of allreduces and broadcasts up to `pack_limit` bytes share batches of up to `batch_limit` bytes with
/// others of equal kind, type, op, root and scales, also across other items between them; longer ones travel alone.
/// Batches are ordered by their first segment, segments by item, tensor and offset. The tensors of a bundle may end up
/// in several batches. An allgather is a batch of its own with `item` set and no segments. Barriers and empty tensors
/// give no batch.
std::vector<Batch> plan(const Round& round, const Tunables& tunables);

}  // namespace treering::fusion
