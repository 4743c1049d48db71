#include "engine/core.h"

#include <fmt/format.h>
#include <pthread.h>

#include <chrono>
#include <cstring>
#include <future>
#include <new>

#include "engine/choose_plan.h"
#include "timeline/profiler.h"

namespace treering {
namespace {

std::shared_ptr<Heap> make_heap(transport::Fabric& fabric) {
  transport::NodeLink& node = fabric.node();
  std::byte* const base = node.heap(node.self());
  return base == nullptr ? nullptr : std::make_shared<Heap>(base, node.heap_bytes(), fabric.heap_owner());
}

std::shared_ptr<void> ordinary_memory(std::size_t bytes) {
  constexpr std::align_val_t line{64};
  void* const memory = ::operator new(bytes, line);
  std::memset(memory, 0, bytes);
  return {memory, [](void* what) { ::operator delete(what, line); }};
}

/// Callbacks may run when the engine is gone; the timeline is off by then.
CompletionThread::Around recorded_callbacks(std::shared_ptr<timeline::Timeline> timeline,
                                            std::shared_ptr<const Clock> clock) {
  return [timeline = std::move(timeline), clock = std::move(clock)](const CallbackLabel& label,
                                                                    const std::function<void()>& callback) {
    if (!timeline->enabled()) return callback();
    const Nanoseconds begin = clock->now();
    callback();
    const auto duration = static_cast<std::uint64_t>(clock->now() - begin);
    timeline->record_here({timeline::Kind::callback, label.name, begin, {label.operation, duration}}, 2);
  };
}

}  // namespace

EngineCore::EngineCore(Parts parts)
    : parts_(std::move(parts)),
      callbacks_(CompletionThread::make(recorded_callbacks(parts_.timeline, parts_.clock))),
      heap_(make_heap(*parts_.fabric)),
      loop_(parts_.config, parts_.tunables, parts_.plan.plan, *parts_.fabric, *parts_.timeline, parts_.clock_place,
            *parts_.clock, *parts_.log),
      thread_([this] {
        pthread_setname_np(pthread_self(), "treering");
        loop_.run();
      }),
      at_exit_([this] { parts_.timeline->finish(timeline::StopCause::process_exit); }) {
  start_configured_timeline();
  parts_.fabric->on_finalize([this] { stop_loop(); });
}

EngineCore::~EngineCore() { stop_loop(); }

std::shared_ptr<Operation> EngineCore::submit(Task task) {
  if (parts_.timeline->enabled()) {
    task.enqueued = parts_.clock->now();
    task.traced_name = parts_.timeline->name(task.name());
  }
  auto operation = std::make_shared<Operation>(std::move(task), callbacks_, loop_.helm(), parts_.config.spin);
  if (!loop_.hand_over(operation))
    operation->complete(
        Status(StatusCode::shut_down, "this engine has been shut down; start another one for more work"));
  return operation;
}

std::shared_ptr<void> EngineCore::allocate(std::size_t count, std::size_t element) {
  constexpr std::size_t most = std::size_t{1} << 56;
  if (count > most / element)
    throw Error(StatusCode::invalid_argument, fmt::format("allocate: {} elements are too many", count));
  const std::size_t bytes = count * element;
  if (heap_) {
    if (auto memory = Heap::allocate(heap_, bytes)) return memory;
  }
  std::call_once(fallback_said_, [&] {
    parts_.log->warning(
        heap_ ? "the mappable memory is used up; further buffers are ordinary memory, which is copied. "
                "TREERING_HEAP sets its size"
              : "no memory that other ranks can map is to be had; buffers are ordinary memory, which is copied");
  });
  return ordinary_memory(bytes);
}

void EngineCore::shutdown() {
  if (in_callback())
    throw Error(StatusCode::invalid_argument,
                "shutdown inside a callback is refused: it would wait for itself; shut down on another thread");
  stop_loop();
}

void EngineCore::stop_loop() {
  const std::lock_guard lock(shutdown_mutex_);
  if (!thread_.joinable()) return;
  const auto ended = loop_.ended();
  loop_.push(LeaveCommand{});
  const auto patience = parts_.config.shutdown_timeout;
  if (patience.count() > 0 && ended.wait_for(patience) == std::future_status::timeout) loop_.give_up();
  thread_.join();
  parts_.timeline->finish(timeline::StopCause::engine_ended);
}

/// A timeline that cannot be written is no reason not to train.
void EngineCore::start_configured_timeline() {
  const Config& config = parts_.config;
  try {
    if (config.timeline_signal)
      toggle_signal_ = std::make_unique<timeline::ToggleSignal>([this] { toggle_timeline(); });
    if (!config.timeline.empty() && !config.timeline_paused) parts_.timeline->start(config.timeline);
  } catch (const Error& error) {
    parts_.log->warning(std::string(error.what()) + "; nothing is recorded, and the training goes on");
  }
}

void EngineCore::toggle_timeline() {
  try {
    parts_.timeline->enabled() ? parts_.timeline->stop() : parts_.timeline->start(parts_.config.timeline);
  } catch (const Error& error) {
    parts_.log->warning(std::string(error.what()) + "; nothing is recorded, and the training goes on");
  }
}

void EngineCore::timeline_start(const std::string& directory) {
  const std::string& chosen = directory.empty() ? parts_.config.timeline : directory;
  if (chosen.empty())
    throw Error(StatusCode::invalid_argument,
                "timeline_start: no directory; give one, or set TREERING_TIMELINE (Config::timeline)");
  parts_.timeline->start(chosen);
}

void EngineCore::mark(std::string_view name) {
  timeline::profiler::mark(std::string(name));
  timeline::Timeline& events = *parts_.timeline;
  if (events.enabled()) events.record_here({timeline::Kind::mark, events.name(name), parts_.clock->now()}, 0);
}

std::uint64_t EngineCore::begin_scope(std::string_view name) {
  timeline::profiler::push(std::string(name));
  timeline::Timeline& events = *parts_.timeline;
  if (!events.enabled()) return 0;
  const std::uint64_t scope = events.next_scope();
  events.record_here({timeline::Kind::scope_begin, events.name(name), parts_.clock->now(), {0, scope}}, 0);
  return scope;
}

void EngineCore::end_scope(std::uint64_t scope, std::string_view name) {
  timeline::profiler::pop();
  timeline::Timeline& events = *parts_.timeline;
  if (scope == 0 || !events.enabled()) return;
  events.record_here({timeline::Kind::scope_end, events.name(name), parts_.clock->now(), {0, scope}}, 0);
}

Counters EngineCore::counters() const {
  return loop_.tally().read(most_area_bytes(world(), parts_.tunables), parts_.plan.hash);
}

std::string EngineCore::dump() {
  auto answer = std::make_shared<std::promise<std::string>>();
  std::future<std::string> text = answer->get_future();
  if (!loop_.push(DumpCommand{answer})) return "the engine has been shut down\n";
  constexpr std::chrono::seconds patience{5};
  if (text.wait_for(patience) == std::future_status::timeout) return "the engine thread does not answer\n";
  return text.get();
}

}  // namespace treering
