#include "ops/arithmetic.h"

namespace treering::ops {

device::Reduction Arithmetic::reduction(std::uint32_t raw, device::Finish finish) const {
  device::Reduction result = plain;
  if (prescale != 1.0) {
    result.prescale = prescale;
    result.prescaled_sources = raw;
  }
  result.finish = finish;
  return result;
}

Arithmetic arithmetic_of(const BatchShape& shape, int members) {
  Arithmetic arithmetic;
  const bool average = shape.op == ReduceOp::average;
  arithmetic.plain.type = shape.type;
  arithmetic.plain.op = average ? ReduceOp::sum : shape.op;
  if (!is_floating(shape.type)) {
    if (average && members > 1) arithmetic.last = device::Finish::divide;
    arithmetic.plain.divisor = members;
    return arithmetic;
  }
  arithmetic.prescale = shape.prescale;
  arithmetic.plain.scale = average ? shape.postscale / static_cast<double>(members) : shape.postscale;
  if (arithmetic.plain.scale == 1.0) return arithmetic;
  const bool adds = average || shape.op == ReduceOp::sum;
  (adds ? arithmetic.node : arithmetic.last) = device::Finish::scale;
  return arithmetic;
}

}  // namespace treering::ops
