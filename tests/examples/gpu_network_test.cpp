// The example's network for devices against the one for the host, on a software device that runs work late.

#include "examples/train_gpu/network.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <memory>
#include <random>

#include "examples/network.h"

namespace {

using fashion::gpu::Compute;
using fashion::gpu::SoftwareDevice;

const std::vector<int> units = {13, 9, 7, 4};
constexpr int capacity = 6;

/// Runs everything in order, but only when somebody waits; fresh memory is poisoned.
struct LateDevice {
  std::deque<std::function<void()>> work;
  std::vector<std::unique_ptr<std::byte[]>> memory;

  SoftwareDevice interface() {
    SoftwareDevice device;
    device.allocate = [this](std::size_t bytes) {
      memory.push_back(std::make_unique<std::byte[]>(bytes));
      std::memset(memory.back().get(), 0x7f, bytes);
      return memory.back().get();
    };
    device.allocate_pinned = device.allocate;
    device.copy = [this](const void* from, void* to, std::size_t bytes) {
      work.emplace_back([=] { std::memcpy(to, from, bytes); });
    };
    device.launch = [this](std::function<void()> kernel) { work.push_back(std::move(kernel)); };
    device.finish = [this] {
      for (; !work.empty(); work.pop_front()) work.front()();
    };
    return device;
  }
};

struct Both {
  LateDevice late;
  std::unique_ptr<Compute> compute = fashion::gpu::compute_in_software(late.interface());
  std::size_t floats = fashion::Network::storage_size(units);
  std::vector<float> gradients = std::vector<float>(floats);
  fashion::Network host{units, capacity, gradients};
  float* device_gradients = compute->allocate_elements<float>(floats);
  float* pinned = compute->allocate_pinned_elements<float>(floats);
  fashion::gpu::Network device{*compute, units, capacity, device_gradients};
  Eigen::MatrixXf images{units.front(), capacity};
  std::vector<std::uint8_t> labels = {3, 0, 1, 1, 2, 3};

  Both() {
    host.initialise(7);
    std::mt19937 random(3);
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (float& weight : host.weights()) weight += 0.1F * uniform(random);
    for (float& pixel : images.reshaped()) pixel = uniform(random);
    std::ranges::copy(host.weights(), pinned);
    device.set_weights(pinned);
    compute->finish();
  }

  void both(int count, float scale) {
    const auto columns = images.leftCols(count);
    host.forward(columns);
    host_loss = host.loss(std::span(labels).first(static_cast<std::size_t>(count)), scale);
    host.backward(columns, [](const fashion::Parameter&) {});
    device.forward(images.data(), count);
    device.loss(labels.data(), scale);
    device.backward(images.data(),
                    [&](const fashion::gpu::Parameter& parameter) { announced.push_back(parameter.name); });
  }

  double host_loss = 0;
  std::vector<std::string> announced;
};

void check_close(const float* found, std::span<const float> expected, const char* what) {
  double worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    worst = std::max(worst, static_cast<double>(std::abs(found[i] - expected[i]) / (1.0F + std::abs(expected[i]))));
  CAPTURE(what);
  CHECK(worst < 1e-5);
}

}  // namespace

TEST_CASE("gpu network: scores, loss, answers and gradients are those of the network for the host") {
  for (const int count : {1, 5, capacity}) {
    CAPTURE(count);
    Both nets;
    nets.both(count, 0.25F);
    nets.compute->finish();
    const Eigen::Map<const Eigen::MatrixXf> scores(nets.device.scores(), units.back(), count);
    const Eigen::MatrixXf expected = nets.host.forward(nets.images.leftCols(count));
    check_close(scores.data(), {expected.data(), static_cast<std::size_t>(expected.size())}, "scores");
    CHECK(static_cast<double>(nets.device.results()[0]) == doctest::Approx(nets.host_loss).epsilon(1e-5));
    int right = 0;
    for (int i = 0; i < count; ++i) {
      Eigen::Index best = 0;
      expected.col(i).maxCoeff(&best);
      right += best == nets.labels[static_cast<std::size_t>(i)] ? 1 : 0;
    }
    CHECK(nets.device.results()[1] == static_cast<float>(right));
    for (std::size_t p = 0; p < nets.device.parameters().size(); ++p) {
      const fashion::gpu::Parameter& parameter = nets.device.parameters()[p];
      CHECK(parameter.name == nets.host.parameters()[p].name);
      REQUIRE(parameter.count == nets.host.parameters()[p].gradient.size());
      check_close(parameter.gradient, nets.host.parameters()[p].gradient, parameter.name.c_str());
    }
    CHECK(nets.announced == std::vector<std::string>{"layer3/bias", "layer3/weight", "layer2/bias", "layer2/weight",
                                                     "layer1/bias", "layer1/weight"});
  }
}

TEST_CASE("gpu network: nothing is computed before its turn, and training stays together") {
  Both nets;
  for (int step = 0; step < 20; ++step) {
    nets.both(capacity, 1.0F / capacity);
    nets.host.descend(0.1F, 0.9F);
    nets.device.descend(0.1F, 0.9F);
  }
  CHECK(nets.late.work.size() > 20 * 10);
  nets.device.get_weights(nets.pinned);
  CHECK(nets.pinned[0] != nets.host.weights()[0]);
  nets.compute->finish();
  check_close(nets.pinned, nets.host.weights(), "weights");
}

TEST_CASE("gpu network: images are loaded by their numbers") {
  LateDevice late;
  const auto compute = fashion::gpu::compute_in_software(late.interface());
  const std::vector<std::uint8_t> pixels = {0, 73, 163, 1, 2, 3, 255, 254, 253};
  const std::vector<std::uint8_t> labels = {4, 5, 6};
  const std::vector<std::uint32_t> samples = {2, 0};
  std::vector<float> images(6);
  std::vector<std::uint8_t> chosen(2);
  compute->each(
      6, fashion::gpu::LoadImages{pixels.data(), labels.data(), samples.data(), images.data(), chosen.data(), 3});
  compute->finish();
  CHECK(chosen == std::vector<std::uint8_t>{6, 4});
  CHECK(images == std::vector<float>{(255 - 73.0F) / 90, (254 - 73.0F) / 90, (253 - 73.0F) / 90, -73.0F / 90, 0, 1});
}
