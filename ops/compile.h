#pragma once

#include "ops/batch_shape.h"
#include "ops/program.h"
#include "topology/plan.h"

namespace treering::ops {

/// Writes the program of one member for one batch into `program`, whose memory is reused. Pure: the same arguments give
/// the same program on every rank. `path` is the node's and counts for allreduces only; it changes neither the chunks
/// nor what is sent between nodes. A batch of no bytes gives a program without streams.
///
/// With trees deeper than stars, the order in which operands are joined depends on the share; so `deterministic`
/// results are independent of batching only on plans of stars.
void compile(const topology::Plan& plan, const Geometry& geometry, const BatchShape& shape, PathClass path, Place self,
             Program& program);

}  // namespace treering::ops
