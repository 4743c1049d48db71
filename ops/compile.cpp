#include "ops/compile.h"

#include "ops/paths.h"

namespace treering::ops {

void compile(const topology::Plan& plan, const Geometry& geometry, const BatchShape& shape, PathClass path, Place self,
             Program& program) {
  if (shape.bytes == 0 || shape.kind == OperationKind::barrier) {
    program.clear();
    program.shared_counters = geometry.counters().count();
    return;
  }
  if (shape.kind != OperationKind::allreduce) return compile_spread(plan, geometry, shape, self, program);
  const Context context(plan, geometry, shape, self);
  if (!context.crosses() && context.members() == 1) return compile_alone(context, program);
  switch (path) {
    case PathClass::one_shot: return compile_one_shot(context, program);
    case PathClass::mapped: return compile_mapped(context, program);
    case PathClass::staged: return compile_staged(context, program);
  }
}

}  // namespace treering::ops
