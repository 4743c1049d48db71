#pragma once

#include <cstddef>

#include "treering/types.h"

namespace treering::device {

/// Device::cast on host memory, element by element; NaN becomes the canonical one. Both types are floating. Addresses
/// are aligned to the element size only.
void host_cast(DataType from, const std::byte* source, DataType to, std::byte* destination, std::size_t elements,
               double factor);

}  // namespace treering::device
