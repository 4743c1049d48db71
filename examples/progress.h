#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace fashion {

struct EpochReport {
  int epoch = 0;  ///< from 1
  int epochs = 0;
  double loss = 0;               ///< mean over the training images of the epoch
  double accuracy = 0;           ///< on the test images, 0 ... 1
  double images_per_second = 0;  ///< of all ranks together, training only
  double waiting = 0;            ///< share of the time of training steps spent waiting for communication, 0 ... 1
};

std::string epoch_line(const EpochReport& report);

/// "epoch 2/5  step 120/469  25 %  loss 0.4312  9800 images/s"
std::string step_line(int epoch, int epochs, std::size_t step, std::size_t steps, double loss,
                      double images_per_second);

/// Shows on stdout that something is going on: a line that rewrites itself on a terminal, else a new line every few
/// seconds. Silent if not enabled (on all ranks but one).
class Progress {
 public:
  explicit Progress(bool enabled);

  /// Whether `show` would print now; cheap enough for every step.
  bool due() const;
  void show(const std::string& line);
  /// A line that stays, instead of whatever was shown last.
  void print(const std::string& line);

 private:
  using Clock = std::chrono::steady_clock;
  bool enabled_;
  bool terminal_;
  Clock::time_point last_ = Clock::now();
};

}  // namespace fashion
