#pragma once

#include <span>
#include <vector>

#include "tools/treering_timeline/model.h"

namespace treering::tools {

/// Where one rank's side of an operation is: `Run::ranks[rank].tensors[index]`.
struct LifeAt {
  std::uint32_t rank = 0;
  std::uint32_t index = 0;
};

/// One operation on all ranks that recorded it.
struct Operation {
  std::uint32_t name = 0;
  std::uint32_t occurrence = 0;
  std::uint64_t bytes = 0;
  std::span<const LifeAt> lives;  ///< by rank
};

/// All operations of a run, by (occurrence, name). The run must outlive it and stay as it is.
class Joined {
 public:
  explicit Joined(const Run& run);
  Joined(const Joined&) = delete;
  Joined& operator=(const Joined&) = delete;

  const std::vector<Operation>& operations() const { return operations_; }
  const TensorLife& life(LifeAt at) const { return run_.ranks[at.rank].tensors[at.index]; }
  const Run& run() const { return run_; }
  /// Every rank that has a file recorded it up to its readiness.
  bool complete(const Operation& operation) const;
  /// The rank that was ready last. The operation is complete.
  LifeAt last(const Operation& operation) const;

 private:
  const Run& run_;
  std::vector<LifeAt> lives_;
  std::vector<Operation> operations_;
};

}  // namespace treering::tools
