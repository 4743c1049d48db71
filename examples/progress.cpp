#include "examples/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>

namespace fashion {
std::string epoch_line(const EpochReport& report) {
  return fmt::format("epoch {}/{}  loss {:.4f}  test accuracy {:.2f} %  {:.0f} images/s  waiting {:.1f} % of the time",
                     report.epoch, report.epochs, report.loss, 100 * report.accuracy, report.images_per_second,
                     100 * report.waiting);
}

std::string step_line(int epoch, int epochs, std::size_t step, std::size_t steps, double loss,
                      double images_per_second) {
  return fmt::format("epoch {}/{}  step {}/{}  {:.0f} %  loss {:.4f}  {:.0f} images/s", epoch, epochs, step, steps,
                     100.0 * static_cast<double>(step) / static_cast<double>(steps), loss, images_per_second);
}

Progress::Progress(bool enabled) : enabled_(enabled), terminal_(isatty(STDOUT_FILENO) == 1) {}

bool Progress::due() const {
  using std::chrono::milliseconds;
  return enabled_ && Clock::now() - last_ >= (terminal_ ? milliseconds(200) : milliseconds(5000));
}

void Progress::show(const std::string& line) {
  if (!enabled_) return;
  last_ = Clock::now();
  // "\033[K" clears what a longer line before has left behind.
  fmt::print("{}{}{}", terminal_ ? "\r" : "", line, terminal_ ? "\033[K" : "\n");
  std::fflush(stdout);
}

void Progress::print(const std::string& line) {
  if (!enabled_) return;
  last_ = Clock::now();
  fmt::print("{}{}{}\n", terminal_ ? "\r" : "", line, terminal_ ? "\033[K" : "");
  std::fflush(stdout);
}

}  // namespace fashion
