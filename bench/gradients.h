#pragma once

#include <treering/treering.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/model_sets.h"

namespace bench {

enum class Memory { ordinary, engine };

/// A set of float tensors with values whose sum over the ranks is known exactly.
class Gradients {
 public:
  struct Tensor {
    std::string name;
    std::span<float> values;
  };

  /// `prefix` keeps the names of several sets apart. Each tensor has memory of its own.
  Gradients(const std::string& prefix, const std::vector<TensorSize>& sizes, Memory memory, treering::Engine& engine);

  std::span<const Tensor> tensors() const { return tensors_; }

  /// Writes every element; values differ between ranks, tensors, elements and salts.
  void fill(std::uint64_t salt);
  /// Looks at both ends of each tensor and at some elements between, which ones depends on the salt: how many of them
  /// are not the sum over all ranks of what `fill(salt)` wrote there.
  std::size_t count_wrong(std::uint64_t salt) const;

 private:
  int rank_;
  int ranks_;
  std::vector<std::vector<float>> ordinary_;
  std::vector<treering::Buffer<float>> shared_;
  std::vector<Tensor> tensors_;
};

}  // namespace bench
