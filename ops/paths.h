#pragma once

#include "ops/builder.h"
#include "ops/context.h"

namespace treering::ops {

// The compilers behind `compile`, one file each.

/// A job of one rank: inputs to outputs.
void compile_alone(const Context& context, Program& program);
/// Every member puts its input into its slot and, after one hand-over, reduces all slots itself.
void compile_one_shot(const Context& context, Program& program);
/// The root of a share reads all members' inputs and writes all members' outputs in place; nobody else works.
void compile_mapped(const Context& context, Program& program);
/// Through slots, along any trees, which may be others on the way up than on the way down: leaves copy their input into
/// their slots, inner members and the root reduce their own input with their children's slots, results come down from
/// slot to slot.
void compile_staged(const Context& context, Program& program);
/// Broadcast and allgather.
void compile_spread(const topology::Plan& plan, const Geometry& geometry, const BatchShape& shape, Place self,
                    Program& program);

}  // namespace treering::ops
