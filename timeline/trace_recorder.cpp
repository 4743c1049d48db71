#include "timeline/trace_recorder.h"

#include <pthread.h>
#include <signal.h>

#include <exception>
#include <system_error>

#include "base/log.h"
#include "treering/status.h"

namespace treering::timeline {

static_assert(EventLines::longest <= TraceFile::longest);

namespace {

/// Threads started while this lives take no signals that are meant for the process. Those that a thread causes itself
/// (SIGSEGV and its like) stay, for whoever reports crashes.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) sigdelset(&all, own);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

TraceRecorder::TraceRecorder(const RecorderOptions& options, const RecorderLimits& limits)
    : rank_(options.rank), limits_(limits), ring_(limits.events), lines_(options), file_(options, lines_.header()) {
  const SignalsBlocked guard;
  try {
    writer_ = std::thread([this] { write_until_stopped(); });
  } catch (const std::system_error& error) {
    throw Error(StatusCode::unavailable, "timeline: rank " + std::to_string(rank_) +
                                             " cannot start its writer thread: " + error.what() +
                                             "; allow more threads or unset TREERING_TIMELINE");
  }
  pthread_setname_np(writer_.native_handle(), "treering-trace");
}

TraceRecorder::~TraceRecorder() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_one();
  writer_.join();
}

void TraceRecorder::span(Track track, Phase phase, std::string_view name, Nanoseconds begin, Nanoseconds end,
                         std::string_view detail) {
  record(EventKind::span, track, phase, name, begin, end, detail);
}

void TraceRecorder::instant(Track track, std::string_view name, Nanoseconds when, std::string_view detail) {
  record(EventKind::instant, track, Phase::tensor, name, when, when, detail);
}

void TraceRecorder::record(EventKind kind, Track track, Phase phase, std::string_view name, Nanoseconds begin,
                           Nanoseconds end, std::string_view detail) {
  Event* const event = ring_.claim();
  if (event == nullptr) {
    dropped_.store(dropped_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);  // one thread writes
    return;
  }
  event->begin = begin;
  event->end = end;
  event->kind = kind;
  event->track = track;
  event->phase = phase;
  event->name.assign(name);
  event->detail.assign(detail);
  ring_.publish();
}

void TraceRecorder::write_until_stopped() {
  try {
    auto pause = limits_.period;
    while (true) {
      bool last = false;
      {
        MutexLock lock(mutex_);
        const auto when = std::chrono::steady_clock::now() + pause;
        while (!stopping_ && stop_.wait_until(mutex_, when)) continue;
        last = stopping_;
      }
      const bool busy = write_batch() > ring_.capacity() / 4;
      if (last) return;
      pause = busy ? limits_.period / 10 : limits_.period;
    }
  } catch (const std::exception& error) {
    Log(LogLevel::warning, rank_).warning("timeline: recording to " + file_.path() + " ends here: " + error.what());
  }
}

/// Everything in the ring, and how many are missing if that has changed. Returns the events taken.
std::size_t TraceRecorder::write_batch() {
  const std::size_t taken = ring_.drain([this](const Event& event) {
    lines_.render(event, text_);
    file_.append(text_);
  });
  const std::uint64_t missing = dropped_.load(std::memory_order_relaxed) + file_.lost();
  if (missing != reported_) {
    lines_.render_dropped(missing, text_);
    file_.append(text_);
  }
  if (file_.flush()) reported_ = missing;
  report_failure();
  return taken;
}

void TraceRecorder::report_failure() {
  if (file_.failure() == 0 || failure_reported_) return;
  failure_reported_ = true;
  Log(LogLevel::warning, rank_)
      .warning("timeline: cannot write " + file_.path() + ": " + std::generic_category().message(file_.failure()) +
               "; events are lost from here on unless that changes, and the training goes on");
}

std::unique_ptr<Recorder> open_recorder(const RecorderOptions& options) {
  return std::make_unique<TraceRecorder>(options);
}

}  // namespace treering::timeline
