#pragma once

#include <functional>
#include <thread>

namespace treering::timeline {

/// Calls a function, on a thread of its own, whenever the process receives SIGUSR2. Several may live at once; all are
/// called. Signals that come faster than the function runs count as often as they are odd: it toggles.
class ToggleSignal {
 public:
  /// Throws Error (unavailable) if somebody else handles the signal already, or if there are too many.
  explicit ToggleSignal(std::function<void()> toggle);
  ~ToggleSignal();
  ToggleSignal(const ToggleSignal&) = delete;
  ToggleSignal& operator=(const ToggleSignal&) = delete;

 private:
  void watch();

  const std::function<void()> toggle_;
  const std::size_t place_;
  std::thread thread_;
};

}  // namespace treering::timeline
