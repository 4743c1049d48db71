#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

// nvcc is told to make these functions for both sides; other compilers need no word for it.
#ifndef TRAIN_GPU_EVERYWHERE
#define TRAIN_GPU_EVERYWHERE
#endif

namespace fashion::gpu {

// What the network does, one element at a time: each of these is called once for every index below some count, in any
// order and at once. Matrices are stored by columns; a column of activations is one image.

/// output(o, i) = bias(o) + sum over k of weight(o, k) * input(k, i), and nothing below zero if `relu`.
struct Dense {
  const float* weight;
  const float* bias;
  const float* input;
  float* output;
  int outputs;
  int inputs;
  bool relu;

  TRAIN_GPU_EVERYWHERE void operator()(std::size_t index) const {
    const std::size_t o = index % static_cast<std::size_t>(outputs);
    const float* const column = input + index / static_cast<std::size_t>(outputs) * static_cast<std::size_t>(inputs);
    float sum = 0;
    for (int k = 0; k < inputs; ++k)
      sum += weight[o + static_cast<std::size_t>(k) * static_cast<std::size_t>(outputs)] * column[k];
    sum += bias[o];
    output[index] = relu && sum < 0 ? 0 : sum;
  }
};

/// For image `index`: its scaled cross entropy, whether its highest score is its label's, and the derivative of the
/// scaled cross entropy by its scores.
struct SoftmaxLoss {
  const float* scores;
  const std::uint8_t* labels;
  float* delta;
  float* loss;
  float* correct;
  int classes;
  float scale;

  TRAIN_GPU_EVERYWHERE void operator()(std::size_t index) const {
    const float* const own = scores + index * static_cast<std::size_t>(classes);
    float* const derivative = delta + index * static_cast<std::size_t>(classes);
    const int label = labels[index];
    int best = 0;
    for (int c = 1; c < classes; ++c) best = own[c] > own[best] ? c : best;
    float total = 0;
    for (int c = 0; c < classes; ++c) total += derivative[c] = expf(own[c] - own[best]);
    for (int c = 0; c < classes; ++c) derivative[c] = derivative[c] * (scale / total) - (c == label ? scale : 0);
    loss[index] = (logf(total) - (own[label] - own[best])) * scale;
    correct[index] = best == label ? 1 : 0;
  }
};

/// Derivatives by the weight: gradient(o, k) = sum over images of delta(o, i) * input(k, i).
struct WeightGradient {
  const float* delta;
  const float* input;
  float* gradient;
  int outputs;
  int inputs;
  int images;

  TRAIN_GPU_EVERYWHERE void operator()(std::size_t index) const {
    const std::size_t o = index % static_cast<std::size_t>(outputs);
    const std::size_t k = index / static_cast<std::size_t>(outputs);
    float sum = 0;
    for (int i = 0; i < images; ++i)
      sum += delta[o + static_cast<std::size_t>(i) * static_cast<std::size_t>(outputs)] *
             input[k + static_cast<std::size_t>(i) * static_cast<std::size_t>(inputs)];
    gradient[index] = sum;
  }
};

/// Sums over the images: of derivatives, for a bias; of losses, with one row.
struct RowSum {
  const float* values;
  float* sum;
  int rows;
  int images;

  TRAIN_GPU_EVERYWHERE void operator()(std::size_t index) const {
    float total = 0;
    for (int i = 0; i < images; ++i)
      total += values[index + static_cast<std::size_t>(i) * static_cast<std::size_t>(rows)];
    sum[index] = total;
  }
};

/// Derivatives one layer down, where ReLU let something through: before(k, i) = sum over o of weight(o, k) * delta(o,
/// i).
struct DeltaBefore {
  const float* weight;
  const float* delta;
  const float* activation;  ///< of the layer below
  float* before;
  int outputs;
  int inputs;

  TRAIN_GPU_EVERYWHERE void operator()(std::size_t index) const {
    const std::size_t k = index % static_cast<std::size_t>(inputs);
    const float* const column = delta + index / static_cast<std::size_t>(inputs) * static_cast<std::size_t>(outputs);
    float sum = 0;
    for (int o = 0; o < outputs; ++o)
      sum += weight[k * static_cast<std::size_t>(outputs) + static_cast<std::size_t>(o)] * column[o];
    before[index] = activation[index] > 0 ? sum : 0;
  }
};

/// One step of gradient descent with momentum.
struct Descend {
  float* values;
  float* velocity;
  const float* gradient;
  float rate;
  float momentum;

  TRAIN_GPU_EVERYWHERE void operator()(std::size_t index) const {
    velocity[index] = momentum * velocity[index] + gradient[index];
    values[index] -= rate * velocity[index];
  }
};

/// Pixels of chosen images as numbers of about unit variance, and their labels.
struct LoadImages {
  const std::uint8_t* pixels;
  const std::uint8_t* all_labels;
  const std::uint32_t* samples;
  float* images;
  std::uint8_t* labels;
  int image_pixels;

  TRAIN_GPU_EVERYWHERE void operator()(std::size_t index) const {
    const std::size_t image = index / static_cast<std::size_t>(image_pixels);
    const std::size_t pixel = index % static_cast<std::size_t>(image_pixels);
    images[index] =
        (static_cast<float>(pixels[std::size_t{samples[image]} * static_cast<std::size_t>(image_pixels) + pixel]) -
         73.0F) /
        90.0F;
    if (pixel == 0) labels[image] = all_labels[samples[image]];
  }
};

}  // namespace fashion::gpu
