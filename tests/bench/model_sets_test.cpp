#include "bench/model_sets.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

TEST_CASE("ResNet-50's gradients are those of the published model") {
  const auto set = bench::resnet50();
  REQUIRE(set.size() == 161);
  std::size_t sum = 0;
  std::set<std::string> names;
  for (const bench::TensorSize& tensor : set) {
    sum += tensor.count;
    names.insert(tensor.name);
  }
  CHECK(sum == 25'557'032);
  CHECK(names.size() == 161);
  CHECK(std::ranges::count_if(set, [](const auto& tensor) { return tensor.count <= 4096; }) == 108);

  CHECK(set[0].name == "fc.bias");
  CHECK(set[0].count == 1000);
  CHECK(set[1].count == 2'048'000);
  CHECK(set[7].name == "layer4.2.conv2.weight");
  CHECK(set[7].count == 2'359'296);
  CHECK(set.back().name == "conv1.weight");
  CHECK(set.back().count == 9408);
}

TEST_CASE("a uniform set has distinct names") {
  const auto set = bench::uniform_set(3, 256);
  REQUIRE(set.size() == 3);
  CHECK(set[0].name != set[2].name);
  CHECK(set[1].count == 256);
}
