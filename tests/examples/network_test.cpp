#include "examples/network.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "examples/batches.h"

namespace {

const std::vector<int> units = {7, 6, 5, 3};

/// A small network, five images and their labels.
struct Fixture {
  std::vector<float> gradients = std::vector<float>(fashion::Network::storage_size(units));
  fashion::Network network{units, 5, gradients};
  Eigen::MatrixXf images{7, 5};
  std::vector<std::uint8_t> labels = {2, 0, 1, 1, 2};

  Fixture() {
    network.initialise(3);
    for (const fashion::Parameter& parameter : network.parameters())  // biases too: zero hides mistakes
      for (std::size_t i = 0; i < parameter.values.size(); ++i)
        parameter.values[i] += 0.05F * static_cast<float>(i % 5) - 0.07F;
    for (Eigen::Index i = 0; i < images.size(); ++i) images(i) = std::sin(static_cast<float>(3 * i + 1));
  }

  double loss() {
    network.forward(images);
    return network.loss(labels, 1.0F);
  }
};

}  // namespace

TEST_CASE("gradients agree with finite differences") {
  Fixture fixture;
  fixture.loss();
  fixture.network.backward(fixture.images, [](const fashion::Parameter&) {});
  double largest = 0;
  for (const fashion::Parameter& parameter : fixture.network.parameters()) {
    for (std::size_t i = 0; i < parameter.values.size(); ++i) {
      constexpr float h = 1.0F / 256;
      const float kept = parameter.values[i];
      parameter.values[i] = kept + h;
      const double above = fixture.loss();
      parameter.values[i] = kept - h;
      const double below = fixture.loss();
      parameter.values[i] = kept;
      const double expected = (above - below) / (2 * static_cast<double>(h));
      CAPTURE(parameter.name);
      CAPTURE(i);
      CHECK(static_cast<double>(parameter.gradient[i]) == doctest::Approx(expected).epsilon(0.005).scale(0.2));
      largest = std::max(largest, std::abs(expected));
    }
  }
  CHECK(largest > 0.1);
}

TEST_CASE("each gradient is announced once, last layer first, and not touched afterwards") {
  Fixture fixture;
  fixture.loss();
  std::vector<std::string> order;
  std::map<std::string, std::vector<float>> announced;
  fixture.network.backward(fixture.images, [&](const fashion::Parameter& parameter) {
    order.push_back(parameter.name);
    announced[parameter.name].assign(parameter.gradient.begin(), parameter.gradient.end());
  });
  CHECK(order == std::vector<std::string>{"layer3/bias", "layer3/weight", "layer2/bias", "layer2/weight", "layer1/bias",
                                          "layer1/weight"});
  for (const fashion::Parameter& parameter : fixture.network.parameters())
    CHECK(std::ranges::equal(announced[parameter.name], parameter.gradient));
}

TEST_CASE("the parts of a batch add up to the whole, empty parts too") {
  Fixture whole;
  whole.network.forward(whole.images);
  const double loss = whole.network.loss(whole.labels, 0.2F);
  whole.network.backward(whole.images, [](const fashion::Parameter&) {});

  Fixture part;
  std::vector<float> sum(part.gradients.size());
  double sum_of_losses = 0;
  for (const auto& [first, count] : {std::pair{0, 2}, std::pair{2, 0}, std::pair{2, 3}}) {
    std::ranges::fill(part.gradients, 1e9F);  // must be overwritten, also by an empty part
    for (const fashion::Parameter& parameter : part.network.parameters()) CHECK(parameter.gradient[0] == 1e9F);
    const auto images = part.images.middleCols(first, count);
    part.network.forward(images);
    sum_of_losses += part.network.loss(std::span(part.labels).subspan(static_cast<std::size_t>(first)), 0.2F);
    part.network.backward(images, [](const fashion::Parameter&) {});
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part.gradients[i];
  }
  CHECK(sum_of_losses == doctest::Approx(loss));
  for (const fashion::Parameter& parameter : whole.network.parameters()) {
    const auto offset = static_cast<std::size_t>(parameter.gradient.data() - whole.gradients.data());
    for (std::size_t i = 0; i < parameter.gradient.size(); ++i)
      CHECK(static_cast<double>(sum[offset + i]) ==
            doctest::Approx(static_cast<double>(parameter.gradient[i])).epsilon(1e-5).scale(0.1));
  }
}

TEST_CASE("descent goes down") {
  Fixture fixture;
  const double before = fixture.loss();
  for (int i = 0; i < 20; ++i) {
    fixture.loss();
    fixture.network.backward(fixture.images, [](const fashion::Parameter&) {});
    fixture.network.descend(0.01F, 0.5F);
  }
  CHECK(fixture.loss() < 0.8 * before);
}

TEST_CASE("gradient memory of the wrong size is refused") {
  std::vector<float> gradients(3);
  CHECK_THROWS_WITH_AS(fashion::Network(units, 5, gradients), doctest::Contains("not 3"), std::invalid_argument);
}

TEST_CASE("an epoch's order is a permutation that depends on seed and epoch only") {
  const auto order = fashion::epoch_order(1001, 5, 2);
  CHECK(order == fashion::epoch_order(1001, 5, 2));
  CHECK(order != fashion::epoch_order(1001, 5, 3));
  CHECK(order != fashion::epoch_order(1001, 6, 2));
  auto sorted = order;
  std::ranges::sort(sorted);
  for (std::uint32_t i = 0; i < sorted.size(); ++i) REQUIRE(sorted[i] == i);
  CHECK(fashion::epoch_order(0, 1, 1).empty());
}

TEST_CASE("shards join up, whatever the counts") {
  for (const std::size_t count : {0U, 1U, 3U, 128U, 131U}) {
    std::vector<std::uint32_t> items(count);
    for (int ranks = 1; ranks <= 5; ++ranks) {
      const std::uint32_t* next = items.data();
      for (int rank = 0; rank < ranks; ++rank) {
        const auto part = fashion::shard(std::span(items), rank, ranks);
        CHECK(part.data() == next);
        CHECK(part.size() <= count / static_cast<std::size_t>(ranks) + 1);
        next += part.size();
      }
      CHECK(next == items.data() + count);
    }
  }
}
