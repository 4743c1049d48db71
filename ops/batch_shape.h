#pragma once

#include <cstdint>
#include <vector>

#include "base/request.h"
#include "ops/geometry.h"

namespace treering::ops {

/// How a node moves an allreduce. Different nodes may take different paths for one batch.
enum class PathClass : std::uint8_t {
  one_shot,  ///< small, one node: everybody reduces everything, after one hand-over
  mapped,    ///< every member's inputs and outputs are mapped by all: the owner of a share works on them in place
  staged,    ///< through slots
};

constexpr const char* name_of(PathClass path) {
  constexpr const char* names[] = {"one-shot", "mapped", "staged"};
  return names[static_cast<std::size_t>(path)];
}

/// What all ranks know of a batch.
struct BatchShape {
  OperationKind kind = OperationKind::allreduce;
  DataType type = DataType::f32;
  ReduceOp op = ReduceOp::sum;
  double prescale = 1.0;
  double postscale = 1.0;
  std::uint64_t bytes = 0;                  ///< of the batch; for an allgather, of the output
  int root = 0;                             ///< broadcast: rank
  std::vector<std::uint64_t> gather_bytes;  ///< allgather: per rank
  bool deterministic = false;
};

/// One member of the job, by node and index in its node.
struct Place {
  int node = 0;
  int member = 0;
};

}  // namespace treering::ops
