#pragma once

#include "device/kernels.h"
#include "ops/batch_shape.h"

namespace treering::ops {

/// Where the rules of treering/types.h put scaling: on raw inputs, where the members of a node meet (factors of float
/// sums and averages), and at the very last step (integer division; factors of the other float reductions).
struct Arithmetic {
  device::Reduction plain;  ///< of partial results
  device::Finish node = device::Finish::none;
  device::Finish last = device::Finish::none;
  double prescale = 1.0;

  /// A reduction whose first `raw` sources are inputs.
  device::Reduction reduction(std::uint32_t raw, device::Finish finish) const;
  /// What a reduction does that is the node's last, and perhaps the job's last.
  device::Finish at_root(bool only_node) const { return only_node && last != device::Finish::none ? last : node; }
  /// Halves are rounded once at every hop, so several operands cannot be joined in one step.
  bool rounds() const { return plain.type == DataType::f16 || plain.type == DataType::bf16; }
};

Arithmetic arithmetic_of(const BatchShape& shape, int members);

}  // namespace treering::ops
