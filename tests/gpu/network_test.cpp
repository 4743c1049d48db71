// The training example's network on a device, against the same network computed at once on the host.

#include "examples/train_gpu/network.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "device/sim/devices.h"
#include "tests/gpu/device_under_test.h"
#include "tests/gpu/scratch.h"

using namespace treering;
using namespace treering::device;
using namespace treering::test;
using fashion::gpu::Compute;
using fashion::gpu::SoftwareDevice;

namespace {

const std::vector<int> units = {37, 19, 10};
constexpr int images = 24;
constexpr int steps = 30;

/// Runs everything at once.
SoftwareDevice at_once(std::vector<std::vector<std::byte>>& memory) {
  SoftwareDevice device;
  device.allocate = [&memory](std::size_t bytes) { return memory.emplace_back(bytes).data(); };
  device.allocate_pinned = device.allocate;
  device.copy = [](const void* from, void* to, std::size_t bytes) { std::memcpy(to, from, bytes); };
  device.launch = [](const std::function<void()>& work) { work(); };
  device.finish = [] {};
  return device;
}

/// A software device of ours, as a program would be given it.
class Lent {
 public:
  explicit Lent(Device& device) : device_(device) {
    Stream stream;
    must(device, device.create_stream(stream));
    stream_ = OwnedStream(device, stream);
  }
  SoftwareDevice lend() {
    SoftwareDevice lent;
    lent.stream = stream_.get().handle;
    lent.allocate = [this](std::size_t bytes) {
      std::byte* memory = nullptr;
      must(device_, device_.allocate(bytes, memory));
      return memory_.emplace_back(device_, memory).get();
    };
    lent.allocate_pinned = [this](std::size_t bytes) {
      std::byte* memory = nullptr;
      must(device_, device_.allocate_pinned(bytes, memory));
      return pinned_.emplace_back(device_, memory).get();
    };
    lent.copy = [this](const void* from, void* to, std::size_t bytes) {
      must(device_,
           device_.copy(stream_.get(), static_cast<const std::byte*>(from), static_cast<std::byte*>(to), bytes));
    };
    lent.launch = [this](std::function<void()> work) {
      must(device_, sim::launch(device_, stream_.get(), std::move(work)));
    };
    lent.finish = [this] { must(device_, device_.synchronize(stream_.get())); };
    return lent;
  }

 private:
  Device& device_;
  OwnedStream stream_;
  std::vector<OwnedMemory> memory_;
  std::vector<OwnedPinned> pinned_;
};

/// Weights after some steps on made-up images; the last loss behind them.
std::vector<float> train(Compute& compute) {
  std::mt19937 random(5);
  const auto draw = [&] { return static_cast<float>(random() % 2001) / 1000.0F - 1.0F; };
  const std::size_t floats = fashion::gpu::Network::storage_size(units);
  auto* const gradients = compute.allocate_elements<float>(floats);
  fashion::gpu::Network network(compute, units, images, gradients);
  auto* const weights = compute.allocate_pinned_elements<float>(floats + 2);
  std::generate_n(weights, floats, [&] { return 0.3F * draw(); });
  const std::size_t pixels = static_cast<std::size_t>(units.front()) * images;
  auto* const pinned_images = compute.allocate_pinned_elements<float>(pixels);
  auto* const pinned_labels = compute.allocate_pinned_elements<std::uint8_t>(images);
  std::generate_n(pinned_images, pixels, draw);
  std::generate_n(pinned_labels, images, [&] { return static_cast<std::uint8_t>(random() % 10); });
  auto* const device_images = compute.allocate_elements<float>(pixels);
  auto* const device_labels = compute.allocate_elements<std::uint8_t>(images);
  network.set_weights(weights);
  compute.copy(pinned_images, device_images, pixels * sizeof(float));
  compute.copy(pinned_labels, device_labels, images);
  for (int step = 0; step < steps; ++step) {
    network.forward(device_images, images);
    network.loss(device_labels, 1.0F / images);
    network.backward(device_images, [](const fashion::gpu::Parameter&) {});
    network.descend(0.2F, 0.9F);
  }
  network.get_weights(weights);
  compute.copy(network.results(), weights + floats, 2 * sizeof(float));
  compute.finish();
  return {weights, weights + floats + 2};
}

std::vector<float> train_on(Device& device) {
  if (device.info().kind == DeviceKind::cuda) return train(*fashion::gpu::compute_on_cuda(device.info().ordinal));
  Lent lent(device);
  return train(*fashion::gpu::compute_in_software(lent.lend()));
}

}  // namespace

TEST_CASE("network: training on the device is training on the host") {
  Device& device = device_under_test();
  if (device.info().kind == DeviceKind::host) return;  // runs no kernels of others
  std::vector<std::vector<std::byte>> memory;
  const std::vector<float> expected = train(*fashion::gpu::compute_in_software(at_once(memory)));
  const std::vector<float> found = train_on(device);
  REQUIRE(found.size() == expected.size());
  float worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) worst = std::max(worst, std::abs(found[i] - expected[i]));
  CHECK(worst < 1e-3F);
  CHECK(expected[expected.size() - 2] < 1.0F);  // the loss has fallen from 2.3 or more
  CHECK(device.error().ok());
}
