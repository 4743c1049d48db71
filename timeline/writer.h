#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <unordered_map>

#include "base/clock.h"
#include "base/log.h"
#include "base/mutex.h"
#include "timeline/event_ring.h"
#include "timeline/recording.h"
#include "timeline/thread_rings.h"

namespace treering::timeline {

/// Carries records from rings to one recording, on a thread of its own that lives as long as the object.
class Writer {
 public:
  struct Pace {
    std::chrono::milliseconds period{20};
    int looks_per_block = 12;
  };

  /// Drops what earlier recordings left in the rings. Throws Error (unavailable) without a thread. `over` is called on
  /// the thread, once, if the recording ends by itself.
  Writer(EventRing& engine, ThreadRings& users, Recording recording, const SpoolFile& file, const Clock& clock,
         const Log& log, const Pace& pace, std::function<void()> over);
  /// Writes what is left. Bounded by the time that the file system takes for full rings.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// What the recording's last record will say.
  void set_cause(StopCause cause) TREERING_EXCLUDES(mutex_);

 private:
  void run();
  void write_until_stopped();
  bool wait_for_turn(std::chrono::milliseconds pause) TREERING_EXCLUDES(mutex_);
  bool look();
  std::uint64_t drain(EventRing& ring, std::uint64_t& dropped_before);
  void say_dropped(std::uint64_t count);
  void report();

  EventRing& engine_;
  ThreadRings& users_;
  Recording recording_;
  const SpoolFile& file_;
  const Clock& clock_;
  const Log& log_;
  const Pace pace_;
  const std::function<void()> over_;

  // Writer thread only, once it runs.
  std::uint64_t engine_dropped_ = 0;
  std::array<std::uint64_t, ThreadRings::most_threads> users_dropped_{};
  std::array<bool, ThreadRings::most_threads> users_known_{};
  std::uint64_t homeless_ = 0;
  bool drop_reported_ = false;
  bool failure_reported_ = false;

  Mutex mutex_;
  Condition stop_;
  bool stopping_ TREERING_GUARDED_BY(mutex_) = false;
  StopCause cause_ TREERING_GUARDED_BY(mutex_) = StopCause::asked;
  std::thread thread_;
};

}  // namespace treering::timeline
