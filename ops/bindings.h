#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ops/program.h"

namespace treering::ops {

/// A run of batch bytes that is contiguous in memory.
struct BoundSegment {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// The addresses behind a program's operands and counters, filled when a program starts. Inputs and outputs are rows of
/// one pointer per segment: one row per member where all are mapped, else one row for everybody, this member's own.
class Bindings {
 public:
  std::vector<BoundSegment> segments;  ///< ascending; what lies between is padding
  std::vector<const std::byte*> inputs;
  std::vector<std::byte*> outputs;
  std::size_t row = 0;               ///< pointers per member; 0: one row for all
  std::vector<std::byte*> slots;     ///< per member: slot memory of the lane
  std::vector<std::byte*> counters;  ///< per member: first counter of the lane

  void clear_segments() {
    segments.clear();
    inputs.clear();
    outputs.clear();
    row = 0;
  }

  /// The first segment that ends after `offset`, or segments.size(). `hint` is tried first, then the one after it.
  std::size_t find(std::uint64_t offset, std::size_t hint) const;

  const std::byte* input(std::size_t member, std::size_t segment) const { return inputs[member * row + segment]; }
  std::byte* output(std::size_t member, std::size_t segment) const { return outputs[member * row + segment]; }
};

}  // namespace treering::ops
