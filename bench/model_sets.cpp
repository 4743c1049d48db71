#include "bench/model_sets.h"

#include <algorithm>
#include <utility>

namespace bench {
namespace {

/// Lists parameters in the order in which the model is written down.
class ModelWriter {
 public:
  void convolution(const std::string& name, std::size_t outputs, std::size_t inputs, std::size_t side) {
    tensors_.push_back({name + ".weight", outputs * inputs * side * side});
  }
  void normalisation(const std::string& name, std::size_t channels) {
    tensors_.push_back({name + ".weight", channels});
    tensors_.push_back({name + ".bias", channels});
  }
  void dense(const std::string& name, std::size_t outputs, std::size_t inputs) {
    tensors_.push_back({name + ".weight", outputs * inputs});
    tensors_.push_back({name + ".bias", outputs});
  }
  /// 1 x 1 to `width`, 3 x 3, 1 x 1 to four times as much; the first block of a stage also widens the shortcut.
  void bottleneck(const std::string& name, std::size_t inputs, std::size_t width, bool first) {
    convolution(name + ".conv1", width, inputs, 1);
    normalisation(name + ".bn1", width);
    convolution(name + ".conv2", width, width, 3);
    normalisation(name + ".bn2", width);
    convolution(name + ".conv3", 4 * width, width, 1);
    normalisation(name + ".bn3", 4 * width);
    if (!first) return;
    convolution(name + ".downsample.0", 4 * width, inputs, 1);
    normalisation(name + ".downsample.1", 4 * width);
  }
  std::vector<TensorSize> backward_order() {
    std::ranges::reverse(tensors_);
    return std::move(tensors_);
  }

 private:
  std::vector<TensorSize> tensors_;
};

}  // namespace

std::vector<TensorSize> resnet50() {
  constexpr std::size_t blocks[] = {3, 4, 6, 3};
  ModelWriter model;
  model.convolution("conv1", 64, 3, 7);
  model.normalisation("bn1", 64);
  std::size_t channels = 64;
  for (std::size_t stage = 0; stage < std::size(blocks); ++stage) {
    const std::size_t width = std::size_t{64} << stage;
    for (std::size_t block = 0; block < blocks[stage]; ++block) {
      model.bottleneck("layer" + std::to_string(stage + 1) + "." + std::to_string(block), channels, width, block == 0);
      channels = 4 * width;
    }
  }
  model.dense("fc", 1000, channels);
  return model.backward_order();
}

std::vector<TensorSize> uniform_set(std::size_t tensors, std::size_t count) {
  std::vector<TensorSize> set;
  for (std::size_t i = 0; i < tensors; ++i) set.push_back({std::to_string(i), count});
  return set;
}

}  // namespace bench
