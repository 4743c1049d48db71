#pragma once

#include <functional>
#include <memory>

namespace treering::timeline {

/// Runs an action when the process exits in the ordinary way (`exit`, end of `main`) while this lives: programs may
/// leave an engine behind. Not in a child of a fork, and not on _exit or a signal.
class ExitHook {
 public:
  /// The action runs at most once, on the thread that exits.
  explicit ExitHook(std::function<void()> action);
  /// Waits for the action if it is running.
  ~ExitHook();
  ExitHook(const ExitHook&) = delete;
  ExitHook& operator=(const ExitHook&) = delete;

 private:
  struct Registry;
  static Registry& registry();
};

}  // namespace treering::timeline
