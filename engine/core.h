#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/log.h"
#include "engine/completion_thread.h"
#include "engine/heap.h"
#include "engine/loop.h"
#include "engine/share_plan.h"
#include "engine/task.h"
#include "timeline/exit_hook.h"
#include "timeline/timeline.h"
#include "timeline/toggle_signal.h"
#include "transport/fabric.h"
#include "treering/engine.h"

namespace treering {

/// Everything an engine owns, in the order in which it must die. The engine thread runs from construction to
/// `shutdown`.
class EngineCore {
 public:
  struct Parts {
    Config config;  ///< effective: rank 0's values where they must match
    Tunables tunables;
    SharedPlan plan;
    std::shared_ptr<Clock> clock;
    std::unique_ptr<Log> log;
    std::shared_ptr<timeline::Timeline> timeline;
    timeline::ClockPlace clock_place;
    std::unique_ptr<transport::Fabric> fabric;
  };
  explicit EngineCore(Parts parts);
  ~EngineCore();
  EngineCore(const EngineCore&) = delete;
  EngineCore& operator=(const EngineCore&) = delete;

  const Config& config() const { return parts_.config; }
  const std::string& plan() const { return parts_.plan.why; }
  const transport::World& world() const { return parts_.fabric->world(); }

  /// Hands a checked task to the engine thread.
  std::shared_ptr<Operation> submit(Task task);
  std::shared_ptr<void> allocate(std::size_t count, std::size_t element);
  void shutdown();
  Counters counters() const;
  std::string dump();
  void timeline_start(const std::string& directory);
  void timeline_stop() { parts_.timeline->stop(); }
  void mark(std::string_view name);
  /// Number of the scope, for `end_scope`; 0 if nobody records.
  std::uint64_t begin_scope(std::string_view name);
  void end_scope(std::uint64_t scope, std::string_view name);
  bool in_callback() const { return callbacks_->is_current(); }

 private:
  void stop_loop();
  void start_configured_timeline();
  void toggle_timeline();

  Parts parts_;
  std::shared_ptr<CompletionThread> callbacks_;
  std::shared_ptr<Heap> heap_;  ///< null where memory cannot be mapped by others
  Loop loop_;
  std::once_flag fallback_said_;
  std::mutex shutdown_mutex_;  ///< one shutdown at a time; the thread is joined under it
  std::thread thread_;
  timeline::ExitHook at_exit_;
  std::unique_ptr<timeline::ToggleSignal> toggle_signal_;
};

}  // namespace treering
