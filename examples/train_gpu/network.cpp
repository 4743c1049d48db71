#include "examples/train_gpu/network.h"

#include <algorithm>

namespace fashion::gpu {
namespace {

constexpr std::size_t floats_per_line = 16;  // 64 bytes

std::size_t at(int index) { return static_cast<std::size_t>(index); }
std::size_t padded(std::size_t floats) { return (floats + floats_per_line - 1) / floats_per_line * floats_per_line; }

}  // namespace

std::size_t Network::storage_size(const std::vector<int>& units) {
  std::size_t sum = 0;
  for (std::size_t i = 1; i < units.size(); ++i) sum += padded(at(units[i]) * at(units[i - 1])) + padded(at(units[i]));
  return sum;
}

Network::Network(Compute& compute, std::vector<int> units, int capacity, float* gradients)
    : compute_(compute),
      floats_(storage_size(units)),
      gradients_(gradients),
      weights_(compute.allocate_elements<float>(floats_)),
      velocity_(compute.allocate_elements<float>(floats_)),
      each_image_(compute.allocate_elements<float>(2 * at(capacity))),
      results_(compute.allocate_elements<float>(2)),
      capacity_(capacity) {
  std::size_t offset = 0;
  const auto add = [&](std::string name, std::size_t count) {
    parameters_.push_back({std::move(name), weights_ + offset, gradients_ + offset, count});
    offset += padded(count);
  };
  for (std::size_t i = 1; i < units.size(); ++i) {
    add("layer" + std::to_string(i) + "/weight", at(units[i]) * at(units[i - 1]));
    add("layer" + std::to_string(i) + "/bias", at(units[i]));
    const std::size_t activations = at(units[i]) * at(capacity);
    layers_.push_back({units[i - 1], units[i], compute.allocate_elements<float>(activations),
                       compute.allocate_elements<float>(activations)});
  }
  // Padding takes part in descent, so gradients begin as zeros too.
  float* const zeros = compute.allocate_pinned_elements<float>(floats_);
  std::fill_n(zeros, floats_, 0.0F);
  for (float* const memory : {gradients_, weights_, velocity_}) compute.copy(zeros, memory, bytes());
  compute.finish();
}

void Network::forward(const float* images, int count) {
  images_ = count;
  const float* input = images;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    compute_.each(at(layer.outputs) * at(count),
                  Dense{parameters_[2 * i].values, parameters_[2 * i + 1].values, input, layer.output, layer.outputs,
                        layer.inputs, i + 1 < layers_.size()});
    input = layer.output;
  }
}

void Network::loss(const std::uint8_t* labels, float scale) {
  const Layer& last = layers_.back();
  float* const correct = each_image_ + capacity_;
  compute_.each(at(images_), SoftmaxLoss{last.output, labels, last.delta, each_image_, correct, last.outputs, scale});
  compute_.each(1, RowSum{each_image_, results_, 1, images_});
  compute_.each(1, RowSum{correct, results_ + 1, 1, images_});
}

void Network::backward(const float* images, const OnGradient& on_gradient) {
  for (std::size_t i = layers_.size(); i-- > 0;) {
    const Layer& layer = layers_[i];
    const Parameter& weight = parameters_[2 * i];
    const Parameter& bias = parameters_[2 * i + 1];
    const float* const input = i == 0 ? images : layers_[i - 1].output;
    compute_.each(bias.count, RowSum{layer.delta, bias.gradient, layer.outputs, images_});
    on_gradient(bias);
    compute_.each(weight.count,
                  WeightGradient{layer.delta, input, weight.gradient, layer.outputs, layer.inputs, images_});
    on_gradient(weight);
    if (i == 0) return;
    compute_.each(at(layer.inputs) * at(images_),
                  DeltaBefore{weight.values, layer.delta, input, layers_[i - 1].delta, layer.outputs, layer.inputs});
  }
}

void Network::descend(float rate, float momentum) {
  compute_.each(floats_, Descend{weights_, velocity_, gradients_, rate, momentum});
}

}  // namespace fashion::gpu
