#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/log.h"
#include "base/mutex.h"
#include "timeline/event_ring.h"
#include "timeline/name_table.h"
#include "timeline/recorder.h"
#include "timeline/recording.h"
#include "timeline/thread_rings.h"
#include "timeline/writer.h"

namespace treering::timeline {

struct TimelineOptions {
  int rank = 0;
  std::string host;
  About about;
  RecordingLimits limits;
  ClockPoint clock;                      ///< what is known of rank 0's clock at start
  std::size_t engine_events = 16384;     ///< in the engine thread's ring; a power of two
  std::size_t user_events = 1024;        ///< in each other thread's
  std::chrono::milliseconds period{20};  ///< between two looks into the rings
  int looks_per_block = 12;              ///< a block is written after so many looks, or when it is full
  std::uint64_t json_limit = 8 << 20;    ///< larger spools are not turned into rank-N.json at the end
};

/// The recorder of one engine: switched on and off at any time, by any thread, with one writer thread while it is on.
///
/// Recording threads put fixed records into rings of their own and never wait. The writer looks into the rings every
/// `period`, and sooner after finding one more than a quarter full, and writes blocks. Trouble with the disk is
/// reported once and costs events, which are counted.
class Timeline final : public Recorder {
 public:
  Timeline(TimelineOptions options, const Clock& clock, const Log& log);
  /// Ends a recording as `finish`.
  ~Timeline() override;

  /// Begins a recording in DIR/rank-N.trace, behind those that this engine has made there. In the same directory as a
  /// running one: does nothing; in another: ends the running one first. Throws Error (unavailable) if the file or the
  /// writer thread cannot be made; the timeline is then off. Any thread.
  void start(const std::string& directory) TREERING_EXCLUDES(mutex_);
  /// Ends the recording, if there is one; everything recorded before is then on disk. Any thread.
  void stop(StopCause cause = StopCause::asked) TREERING_EXCLUDES(mutex_);
  /// `stop`, and then no start any more; small recordings are also written as Chrome trace JSON, DIR/rank-N.json.
  /// Idempotent.
  void finish(StopCause cause) TREERING_EXCLUDES(mutex_);

  void record(const Record& record) override {
    if (EventRing* const ring = engine_ring_.load(std::memory_order_acquire)) ring->put(record);
  }
  std::uint32_t name(std::string_view text) override { return names_.id_of(text); }

  /// From any thread but the engine's: into its own ring. `thread_value`: which value takes the thread's number.
  void record_here(Record record, std::size_t thread_value);
  /// A number for a scope, never given twice.
  std::uint64_t next_scope() { return next_scope_.fetch_add(1, std::memory_order_relaxed); }

  /// Where the latest recording went or goes; empty if there was none.
  std::string path() const TREERING_EXCLUDES(mutex_);

 private:
  void stop_locked(StopCause cause) TREERING_REQUIRES(mutex_);
  void make_file(const std::string& directory) TREERING_REQUIRES(mutex_);

  const TimelineOptions options_;
  const Clock& clock_;
  const Log& log_;
  NameTable names_;
  std::unique_ptr<EventRing> engine_events_;  ///< from the first start on
  std::atomic<EventRing*> engine_ring_{nullptr};
  ThreadRings user_rings_;
  std::atomic<std::uint64_t> next_scope_{1};

  mutable Mutex mutex_;
  std::string directory_ TREERING_GUARDED_BY(mutex_);
  std::unique_ptr<SpoolFile> file_ TREERING_GUARDED_BY(mutex_);
  std::uint32_t recordings_ TREERING_GUARDED_BY(mutex_) = 0;  ///< in the file
  std::unique_ptr<Writer> writer_ TREERING_GUARDED_BY(mutex_);
  bool finished_ TREERING_GUARDED_BY(mutex_) = false;
};

}  // namespace treering::timeline
