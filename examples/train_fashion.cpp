// Data-parallel training with Treering, from the first line to the last. Run: mpiexec -n 2 train_fashion
//
// Every rank holds the same network and works on its own part of each batch. What makes them one training job are
// four things, all in this file (the network, the data and the progress line know nothing of other ranks):
//
//   1. rank 0's initial weights are broadcast;
//   2. backward hands over each gradient as soon as it is ready, and goes on while the engine adds it up;
//   3. once per step we wait for all of them, then every rank takes the same step;
//   4. what is measured on one rank (correct answers, seconds) is added up or compared the same way.
//
// Gradients are sums over images divided by the images of the whole batch, so however many ranks share the work, the
// sum over the ranks is the same and so is the training (but for the rounding of sums in another order).
#include <fmt/core.h>
#include <treering/treering.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "examples/batches.h"
#include "examples/fashion_data.h"
#include "examples/network.h"
#include "examples/options.h"
#include "examples/progress.h"

namespace fashion {
namespace {

using treering::ReduceOp;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

class Training {
 public:
  Training(const Options& options, const Dataset& data);

  void run();
  /// Whether all ranks hold the same bits.
  bool ranks_agree();

 private:
  void start_alike();
  EpochReport train_epoch(int epoch);
  void step(std::span<const std::uint32_t> samples, std::size_t batch, float rate);
  double test_accuracy();
  void load(const Images& from, std::span<const std::uint32_t> samples);
  template <class T>
  T over_ranks(const char* name, T value, ReduceOp op);

  const Options& options_;
  const Dataset& data_;

  // Members are destroyed last to first. The engine goes before all memory that it may be working on, so nothing is
  // added up into freed memory, whatever goes wrong.
  treering::Buffer<float> shared_gradients_;
  std::vector<float> ordinary_gradients_;
  std::optional<Network> network_;
  double step_loss_ = 0;  ///< this rank's share, then the whole batch's
  std::unique_ptr<treering::Engine> engine_;

  std::vector<treering::Handle> pending_;  ///< of the current step
  Eigen::MatrixXf images_;                 ///< pixels x images, the current ones
  std::vector<std::uint8_t> labels_;
  Progress progress_;
  std::ofstream loss_log_;
  double waited_ = 0;  ///< seconds of this epoch
};

Training::Training(const Options& options, const Dataset& data)
    : options_(options), data_(data), engine_(treering::Engine::start()), progress_(engine_->rank() == 0) {
  std::vector<int> units = {image_pixels};
  units.insert(units.end(), options.hidden.begin(), options.hidden.end());
  units.push_back(class_count);
  const std::size_t floats = Network::storage_size(units);

  // Memory from the engine can be seen by all ranks of the node: gradients there are added up without being copied.
  std::span<float> gradients;
  if (options.ordinary_memory) {
    ordinary_gradients_.resize(floats);
    gradients = ordinary_gradients_;
  } else {
    shared_gradients_ = engine_->allocate<float>(floats);
    gradients = shared_gradients_;
  }

  const int capacity = options.batch / engine_->size() + 1;
  network_.emplace(units, capacity, gradients);
  images_.resize(image_pixels, capacity);
  labels_.resize(static_cast<std::size_t>(capacity));

  if (options.loss_log.empty() || engine_->rank() != 0) return;
  loss_log_.open(options.loss_log);
  if (!loss_log_) throw std::runtime_error("cannot write the loss log " + options.loss_log);
}

void Training::start_alike() {
  if (engine_->rank() == 0)
    network_->initialise(options_.seed);
  else  // whatever the broadcast would leave out makes the loss NaN at once
    std::ranges::fill(network_->weights(), std::numeric_limits<float>::quiet_NaN());
  engine_->broadcast("weights", treering::view(network_->weights()), 0).wait();
}

void Training::run() {
  start_alike();
  progress_.print(fmt::format("{} ranks, {} training images, {} weights in {} tensors", engine_->size(),
                              data_.train.count(), network_->weights().size(), network_->parameters().size()));
  for (int epoch = 1; epoch <= options_.epochs; ++epoch) {
    EpochReport report = train_epoch(epoch);
    report.accuracy = test_accuracy();
    progress_.print(epoch_line(report));
  }
}

EpochReport Training::train_epoch(int epoch) {
  const std::vector<std::uint32_t> order = epoch_order(data_.train.count(), options_.seed, epoch);
  const auto per_step = static_cast<std::size_t>(options_.batch);
  const std::size_t steps = (order.size() + per_step - 1) / per_step;
  const auto start = Clock::now();
  double loss = 0;
  waited_ = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    const auto batch = std::span(order).subspan(i * per_step, std::min(per_step, order.size() - i * per_step));
    const double done = static_cast<double>((static_cast<std::size_t>(epoch) - 1) * steps + i) /
                        static_cast<double>(static_cast<std::size_t>(options_.epochs) * steps);
    const float rate = options_.rate * static_cast<float>(1 - done);  // falls to zero over the whole training
    step(shard(batch, engine_->rank(), engine_->size()), batch.size(), rate);

    loss += step_loss_ * static_cast<double>(batch.size());
    if (loss_log_.is_open()) loss_log_ << fmt::format("{:.9g}\n", step_loss_);
    if (progress_.due()) {
      const double speed = static_cast<double>((i + 1) * per_step) / seconds_since(start);
      progress_.show(step_line(epoch, options_.epochs, i + 1, steps, step_loss_, speed));
    }
  }
  const double seconds = seconds_since(start);
  const auto count = static_cast<double>(order.size());
  return {.epoch = epoch,
          .epochs = options_.epochs,
          .loss = loss / count,
          .images_per_second = count / over_ranks("seconds", seconds, ReduceOp::max),
          .waiting = over_ranks("waiting", waited_ / seconds, ReduceOp::average)};
}

/// One step of training: `samples` are this rank's of the `batch` images that all ranks work on together.
void Training::step(std::span<const std::uint32_t> samples, std::size_t batch, float rate) {
  load(data_.train, samples);
  const auto images = images_.leftCols(static_cast<Eigen::Index>(samples.size()));
  network_->forward(images);
  step_loss_ = network_->loss(std::span(labels_).first(samples.size()), 1.0F / static_cast<float>(batch));

  pending_.clear();
  pending_.push_back(engine_->allreduce("loss", treering::view(&step_loss_, 1), ReduceOp::sum));
  network_->backward(images, [this](const Parameter& ready) {
    pending_.push_back(engine_->allreduce(ready.name, treering::view(ready.gradient), ReduceOp::sum));
  });

  const auto start = Clock::now();
  for (const treering::Handle& handle : pending_) handle.wait();
  waited_ += seconds_since(start);

  network_->descend(rate, options_.momentum);
}

double Training::test_accuracy() {
  const std::vector<std::uint32_t> all = epoch_order(data_.test.count(), 0, 0);
  auto mine = shard(std::span(all), engine_->rank(), engine_->size());
  std::int64_t correct = 0;
  while (!mine.empty()) {
    const auto samples = mine.first(std::min(mine.size(), labels_.size()));
    mine = mine.subspan(samples.size());
    load(data_.test, samples);
    const auto scores = network_->forward(images_.leftCols(static_cast<Eigen::Index>(samples.size())));
    for (Eigen::Index i = 0; i < scores.cols(); ++i) {
      Eigen::Index answer = 0;
      scores.col(i).maxCoeff(&answer);
      if (answer == labels_[static_cast<std::size_t>(i)]) ++correct;
    }
  }
  correct = over_ranks("correct", correct, ReduceOp::sum);
  return static_cast<double>(correct) / static_cast<double>(all.size());
}

/// Pixels as numbers of about unit variance.
void Training::load(const Images& from, std::span<const std::uint32_t> samples) {
  using Pixels = Eigen::Map<const Eigen::Matrix<std::uint8_t, Eigen::Dynamic, 1>>;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Pixels pixels(from.pixels.data() + std::size_t{samples[i]} * image_pixels, image_pixels);
    images_.col(static_cast<Eigen::Index>(i)) = (pixels.cast<float>().array() - 73.0F) / 90.0F;
    labels_[i] = from.labels[samples[i]];
  }
}

template <class T>
T Training::over_ranks(const char* name, T value, ReduceOp op) {
  engine_->allreduce(name, treering::view(&value, 1), op).wait();
  return value;
}

bool Training::ranks_agree() {
  // Every rank sees a fingerprint (FNV-1a) of every rank's weights, so all come to the same verdict.
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const std::byte byte : std::as_bytes(network_->weights()))
    hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001B3U;
  const auto mine = static_cast<std::int64_t>(hash);
  const treering::Gathered all = engine_->allgather("fingerprint", treering::view(&mine, 1)).result();
  const std::span hashes(all.data_as<std::int64_t>(), static_cast<std::size_t>(engine_->size()));

  bool agree = true;
  for (int rank = 1; rank < engine_->size(); ++rank) {
    if (hashes[static_cast<std::size_t>(rank)] == hashes[0]) continue;
    agree = false;
    progress_.print(fmt::format("ranks-check FAILED: the weights of rank {} differ from those of rank 0", rank));
  }
  if (agree) progress_.print(fmt::format("ranks-check: same bits in all weights on {} ranks", engine_->size()));
  return agree;
}

}  // namespace
}  // namespace fashion

int main(int argc, char** argv) {
  int exit_code = 0;
  const std::optional<fashion::Options> options = fashion::parse_options(argc, argv, exit_code);
  if (!options) return exit_code;
  try {
    const fashion::Dataset data = fashion::read_dataset(options->data, options->limit);
    fashion::Training training(*options, data);
    training.run();
    if (options->ranks_check && !training.ranks_agree()) return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "train_fashion: %s\n", error.what());
    return 1;
  }
}
