#include "examples/network.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

namespace fashion {
namespace {

constexpr std::size_t floats_per_line = 16;  // 64 bytes: Eigen's loads and the reduction like whole cache lines

std::size_t padded(std::size_t floats) { return (floats + floats_per_line - 1) / floats_per_line * floats_per_line; }

}  // namespace

std::size_t Network::storage_size(const std::vector<int>& units) {
  std::size_t sum = 0;
  for (std::size_t i = 1; i < units.size(); ++i) {
    const auto outputs = static_cast<std::size_t>(units[i]);
    sum += padded(outputs * static_cast<std::size_t>(units[i - 1])) + padded(outputs);
  }
  return sum;
}

Network::Network(const std::vector<int>& units, int capacity, std::span<float> gradients)
    : weights_(storage_size(units)), velocity_(weights_.size()), gradients_(gradients) {
  if (gradients.size() != weights_.size())
    throw std::invalid_argument("the network needs " + std::to_string(weights_.size()) + " floats for gradients, not " +
                                std::to_string(gradients.size()));
  std::ranges::fill(gradients_, 0.0F);
  std::size_t offset = 0;
  const auto add_parameter = [&](std::string name, int count) {
    const auto size = static_cast<std::size_t>(count);
    parameters_.push_back(
        {std::move(name), std::span(weights_).subspan(offset, size), gradients_.subspan(offset, size)});
    offset += padded(size);
  };
  for (std::size_t i = 1; i < units.size(); ++i) {
    const int inputs = units[i - 1];
    const int outputs = units[i];
    add_parameter("layer" + std::to_string(i) + "/weight", outputs * inputs);
    add_parameter("layer" + std::to_string(i) + "/bias", outputs);
    const Parameter& weight = parameters_[parameters_.size() - 2];
    const Parameter& bias = parameters_.back();
    layers_.push_back({Map(weight.values.data(), outputs, inputs), Map(bias.values.data(), outputs, 1),
                       Map(weight.gradient.data(), outputs, inputs), Map(bias.gradient.data(), outputs, 1),
                       Eigen::MatrixXf(outputs, capacity), Eigen::MatrixXf(outputs, capacity)});
  }
}

void Network::initialise(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (Layer& layer : layers_) {
    std::normal_distribution<float> normal(0.0F, std::sqrt(2.0F / static_cast<float>(layer.weight.cols())));
    for (float& weight : layer.weight.reshaped()) weight = normal(random);
    layer.bias.setZero();
  }
}

Eigen::Ref<const Eigen::MatrixXf> Network::forward(const Inputs& images) {
  images_ = images.cols();
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    Layer& layer = layers_[i];
    auto output = layer.output.leftCols(images_);
    if (i == 0)
      output.noalias() = layer.weight * images;
    else
      output.noalias() = layer.weight * layers_[i - 1].output.leftCols(images_);
    output.colwise() += layer.bias.col(0);
    if (i + 1 < layers_.size()) output = output.cwiseMax(0.0F);
  }
  return layers_.back().output.leftCols(images_);
}

double Network::loss(std::span<const std::uint8_t> labels, float scale) {
  Layer& last = layers_.back();
  double sum = 0;
  for (Eigen::Index i = 0; i < images_; ++i) {
    const auto scores = last.output.col(i);
    auto delta = last.delta.col(i);
    const Eigen::Index label = labels[static_cast<std::size_t>(i)];
    const float highest = scores.maxCoeff();
    delta = (scores.array() - highest).exp();
    const float total = delta.sum();
    sum += std::log(total) - (scores(label) - highest);
    delta *= scale / total;
    delta(label) -= scale;
  }
  return sum * static_cast<double>(scale);
}

void Network::backward(const Inputs& images, const OnGradient& on_gradient) {
  for (std::size_t i = layers_.size(); i-- > 0;) {
    Layer& layer = layers_[i];
    const auto delta = layer.delta.leftCols(images_);
    layer.bias_gradient = delta.rowwise().sum();
    on_gradient(parameters_[2 * i + 1]);
    if (i == 0) {
      layer.weight_gradient.noalias() = delta * images.transpose();
      on_gradient(parameters_[0]);
      return;
    }
    Layer& before = layers_[i - 1];
    const auto input = before.output.leftCols(images_);
    layer.weight_gradient.noalias() = delta * input.transpose();
    on_gradient(parameters_[2 * i]);
    auto delta_before = before.delta.leftCols(images_);
    delta_before.noalias() = layer.weight.transpose() * delta;
    delta_before.array() *= (input.array() > 0.0F).cast<float>();
  }
}

void Network::descend(float rate, float momentum) {
  const auto size = static_cast<Eigen::Index>(weights_.size());
  Eigen::Map<Eigen::ArrayXf> weights(weights_.data(), size);
  Eigen::Map<Eigen::ArrayXf> velocity(velocity_.data(), size);
  const Eigen::Map<const Eigen::ArrayXf> gradient(gradients_.data(), size);
  velocity = momentum * velocity + gradient;
  weights -= rate * velocity;
}

}  // namespace fashion
