#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "device/kernels.h"

namespace treering::device::tests {

/// Fills `bytes` bytes at `where` with elements of all kinds: ordinary numbers, random bits, and the values where
/// arithmetic is delicate.
void fill_with_patterns(DataType type, std::byte* where, std::size_t bytes, std::mt19937_64& random);

}  // namespace treering::device::tests
