#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace fashion {

/// One tensor of the network and its gradient; equally long.
struct Parameter {
  std::string name;  ///< e.g. "layer1/weight"
  std::span<float> values;
  std::span<float> gradient;
};

/// A multilayer perceptron: dense layers with ReLU between them, softmax and cross entropy at the end. It knows nothing
/// of other ranks; `backward` says when a gradient is ready, and whoever listens may send it on its way.
///
/// A column of a matrix is one image. Single-threaded; nothing is allocated per step but what Eigen's products need.
class Network {
 public:
  using Inputs = Eigen::Ref<const Eigen::MatrixXf>;
  using OnGradient = std::function<void(const Parameter&)>;

  /// `units`: pixels first, classes last. `capacity`: most images in one `forward`. `gradients`: where gradients are
  /// written, `storage_size(units)` floats that outlive the network; the caller owns them because where they lie
  /// decides how fast they can be reduced.
  Network(const std::vector<int>& units, int capacity, std::span<float> gradients);

  /// Floats for all parameters. Each begins at a multiple of 64 bytes.
  static std::size_t storage_size(const std::vector<int>& units);

  /// Random weights after He et al., "Delving Deep into Rectifiers" (2015): variance 2 / inputs; biases zero.
  void initialise(std::uint64_t seed);

  /// Scores, classes x images; valid until the next call.
  Eigen::Ref<const Eigen::MatrixXf> forward(const Inputs& images);

  /// Cross entropy of the last `forward`, summed over its images and multiplied by `scale`; prepares `backward`.
  /// With scale = 1 / images in the whole batch of all ranks, losses and gradients of the ranks simply add up.
  double loss(std::span<const std::uint8_t> labels, float scale);

  /// Gradients of what `loss` returned, last layer first. `on_gradient` is called as soon as one is complete; from then
  /// on it is neither read nor written here until `descend`. `images` are those of the last `forward`.
  void backward(const Inputs& images, const OnGradient& on_gradient);

  /// One step of gradient descent with momentum.
  void descend(float rate, float momentum);

  /// All weights and biases in one piece.
  std::span<float> weights() { return weights_; }
  std::span<const Parameter> parameters() const { return parameters_; }

 private:
  using Map = Eigen::Map<Eigen::MatrixXf>;

  struct Layer {
    Map weight;  ///< outputs x inputs
    Map bias;    ///< outputs x 1
    Map weight_gradient;
    Map bias_gradient;
    Eigen::MatrixXf output;  ///< outputs x capacity
    Eigen::MatrixXf delta;   ///< derivative of the loss by `output` before ReLU
  };

  std::vector<float> weights_;
  std::vector<float> velocity_;
  std::span<float> gradients_;
  std::vector<Parameter> parameters_;  ///< weight and bias of each layer in turn
  std::vector<Layer> layers_;
  Eigen::Index images_ = 0;  ///< of the last forward
};

}  // namespace fashion
