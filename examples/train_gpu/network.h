#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "examples/train_gpu/compute.h"

namespace fashion::gpu {

/// One tensor of the network and its gradient, in device memory; equally long.
struct Parameter {
  std::string name;  ///< e.g. "layer1/weight"
  float* values = nullptr;
  float* gradient = nullptr;
  std::size_t count = 0;
};

/// The network of examples/network.h with its memory on a device and kernels of its own. Every function but the
/// constructor enqueues and returns; what it leaves on the device is there for whatever follows in the same stream.
class Network {
 public:
  using OnGradient = std::function<void(const Parameter&)>;

  /// `units`: pixels first, classes last. `capacity`: most images at once. `gradients`: device memory for
  /// `storage_size(units)` floats, which the caller owns. The Compute outlives the network.
  Network(Compute& compute, std::vector<int> units, int capacity, float* gradients);

  /// Floats for all parameters. Each begins at a multiple of 64 bytes.
  static std::size_t storage_size(const std::vector<int>& units);

  /// All weights and biases, in the order of `parameters` and padded like the gradients; from and to pinned memory.
  void set_weights(const float* pinned) { compute_.copy(pinned, weights_, bytes()); }
  void get_weights(float* pinned) { compute_.copy(weights_, pinned, bytes()); }

  /// Scores of these images in device memory, stored by columns; at `scores()`.
  void forward(const float* images, int count);
  const float* scores() const { return layers_.back().output; }

  /// After `forward`: cross entropy summed over the images and multiplied by `scale`, and how many images have their
  /// label's score as the highest, both at `results()` in device memory; prepares `backward`.
  void loss(const std::uint8_t* labels, float scale);
  const float* results() const { return results_; }  ///< loss, then correct answers

  /// Gradients of the loss, last layer first; `on_gradient` is called as soon as the work that makes one is enqueued.
  void backward(const float* images, const OnGradient& on_gradient);

  /// One step of gradient descent with momentum.
  void descend(float rate, float momentum);

  float* weights() { return weights_; }
  std::span<const Parameter> parameters() const { return parameters_; }

 private:
  struct Layer {
    int inputs;
    int outputs;
    float* output;  ///< outputs x capacity
    float* delta;   ///< derivative of the loss by `output` before ReLU
  };

  std::size_t bytes() const { return floats_ * sizeof(float); }

  Compute& compute_;
  std::size_t floats_;
  float* gradients_;
  float* weights_;
  float* velocity_;
  float* each_image_;  ///< loss and correctness of each image: capacity, capacity
  float* results_;
  std::vector<Parameter> parameters_;  ///< weight and bias of each layer in turn
  std::vector<Layer> layers_;
  int capacity_;
  int images_ = 0;  ///< of the last forward
};

}  // namespace fashion::gpu
