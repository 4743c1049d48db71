#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// A model of the comparison that was published with the first implementation of trees over NVLink (MXNet, eight V100
/// of a p3.16xlarge): how many times faster training was at small batches, end to end.
struct PublishedModel {
  std::string name;
  double over_rings = 0;
  double over_one_device = 0;
  std::vector<std::uint64_t> gradients;  ///< elements of each, last first, as in torchvision
};

const std::vector<PublishedModel>& published_models();

}  // namespace bench
