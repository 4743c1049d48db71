#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "base/mutex.h"
#include "timeline/event.h"
#include "timeline/event_lines.h"
#include "timeline/recorder.h"
#include "timeline/spsc_ring.h"
#include "timeline/trace_file.h"

namespace treering::timeline {

struct RecorderLimits {
  std::size_t events = 16384;            ///< in the ring; a power of two
  std::chrono::milliseconds period{50};  ///< between two looks into the ring
};

/// Engine thread: fills slots of the ring, makes no system call and never waits. Writer thread: looks into the ring
/// every `period`, and sooner after finding it more than a quarter full, and writes what it finds.
class TraceRecorder final : public Recorder {
 public:
  /// Throws as `open_recorder`.
  explicit TraceRecorder(const RecorderOptions& options, const RecorderLimits& limits = {});
  /// Writes what is left. Bounded by the time that the file system takes for a ring full of events.
  ~TraceRecorder() override;

  bool enabled() const override { return true; }
  void span(Track track, Phase phase, std::string_view name, Nanoseconds begin, Nanoseconds end,
            std::string_view detail) override;
  void instant(Track track, std::string_view name, Nanoseconds when, std::string_view detail) override;

 private:
  void record(EventKind kind, Track track, Phase phase, std::string_view name, Nanoseconds begin, Nanoseconds end,
              std::string_view detail);
  void write_until_stopped();
  std::size_t write_batch();
  void report_failure();

  const int rank_;
  const RecorderLimits limits_;

  // Between the engine thread and the writer.
  SpscRing<Event> ring_;
  std::atomic<std::uint64_t> dropped_{0};

  // Writer only, once it runs.
  EventLines lines_;
  TraceFile file_;
  std::string text_;
  std::uint64_t reported_ = 0;
  bool failure_reported_ = false;

  Mutex mutex_;
  Condition stop_;
  bool stopping_ TREERING_GUARDED_BY(mutex_) = false;
  std::thread writer_;
};

}  // namespace treering::timeline
