#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bench {

struct TensorSize {
  std::string name;
  std::size_t count = 0;  ///< elements
};

/// The 161 trainable parameters of ResNet-50 (He et al., "Deep Residual Learning for Image Recognition", 2015; layout
/// and names as in torchvision), 25 557 032 elements, last first: about the order in which backward makes gradients.
std::vector<TensorSize> resnet50();

/// `tensors` tensors of `count` elements each.
std::vector<TensorSize> uniform_set(std::size_t tensors, std::size_t count);

}  // namespace bench
