#pragma once

#include "tools/treering_timeline/model.h"

namespace treering::tools {

/// Fills in `TensorLife::occurrence`: the operations of one name in the order in which they were agreed, on all ranks
/// alike; then those that were never agreed, in the order of each rank.
void number_operations(Run& run);

}  // namespace treering::tools
