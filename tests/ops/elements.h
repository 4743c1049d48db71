#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "treering/types.h"

namespace treering::ops::test {

/// One element as a double, and back, for any type; integers wrap.
double load_element(DataType type, const std::byte* where);
void store_element(DataType type, std::byte* where, double value);

/// Small whole numbers that differ per rank, element and step, so that exact results do not depend on the order of
/// operands; ones and twos for products.
double input_value(DataType type, ReduceOp op, int rank, std::size_t element, int step);

/// What the job must compute; exact but for averages of floats.
double expected_value(DataType type, ReduceOp op, int ranks, std::size_t element, int step, double prescale,
                      double postscale);

}  // namespace treering::ops::test
