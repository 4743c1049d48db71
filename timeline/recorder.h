#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "timeline/spool_format.h"

namespace treering::timeline {

/// Where the engine says what happens. Nothing here ever blocks the engine or decides anything for it.
class Recorder {
 public:
  virtual ~Recorder() = default;

  /// Whether anybody wants to know; may change at any time. Any thread.
  bool enabled() const { return enabled_.load(std::memory_order_relaxed); }
  /// Engine thread only. Does not allocate and makes no system call; what does not fit is counted and dropped.
  virtual void record(const Record& record) = 0;
  /// The number that stands for a text in records, equal for equal texts as long as the recorder lives; 0 is "no name".
  /// Any thread; takes a lock for a look-up.
  virtual std::uint32_t name(std::string_view text) = 0;

 protected:
  void enable(bool on) { enabled_.store(on, std::memory_order_relaxed); }

 private:
  std::atomic<bool> enabled_{false};
};

/// Records nothing.
std::unique_ptr<Recorder> no_recorder();

}  // namespace treering::timeline
