#include "timeline/writer.h"

#include <pthread.h>

#include <exception>
#include <system_error>
#include <utility>

#include "timeline/blocked_signals.h"
#include "treering/status.h"

namespace treering::timeline {

Writer::Writer(EventRing& engine, ThreadRings& users, Recording recording, const SpoolFile& file, const Clock& clock,
               const Log& log, const Pace& pace, std::function<void()> over)
    : engine_(engine),
      users_(users),
      recording_(std::move(recording)),
      file_(file),
      clock_(clock),
      log_(log),
      pace_(pace),
      over_(std::move(over)) {
  const auto forget = [](const Record&) {};
  engine_.drain(forget);
  engine_dropped_ = engine_.dropped();
  users_.for_each([&](EventRing& ring, std::uint32_t number, const char*) {
    ring.drain(forget);
    users_dropped_[number - 1] = ring.dropped();
  });
  homeless_ = users_.homeless();
  recording_.flush();
  report();
  const SignalsBlocked guard;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    throw Error(StatusCode::unavailable, std::string("timeline: cannot start the writer thread: ") + error.what() +
                                             "; allow more threads or unset TREERING_TIMELINE");
  }
  pthread_setname_np(thread_.native_handle(), "treering-trace");
}

Writer::~Writer() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Writer::set_cause(StopCause cause) {
  const MutexLock lock(mutex_);
  cause_ = cause;
}

void Writer::run() {
  try {
    write_until_stopped();
  } catch (const std::exception& error) {
    log_.warning("timeline: recording to " + file_.path() + " ends here: " + error.what());
    over_();
  }
}

void Writer::write_until_stopped() {
  auto pause = pace_.period;
  int looks = 0;
  while (true) {
    const bool last = wait_for_turn(pause);
    const bool busy = look();
    if (recording_.over()) {
      recording_.end(StopCause::limit, clock_.now());
      report();
      return over_();
    }
    if (last) break;
    if (++looks % pace_.looks_per_block == 0) recording_.flush();
    report();
    pause = busy ? pace_.period / 10 : pace_.period;
  }
  StopCause cause = StopCause::asked;
  {
    const MutexLock lock(mutex_);
    cause = cause_;
  }
  recording_.end(cause, clock_.now());
  report();
}

/// True if this turn is the last.
bool Writer::wait_for_turn(std::chrono::milliseconds pause) {
  const auto when = std::chrono::steady_clock::now() + pause;
  const MutexLock lock(mutex_);
  while (!stopping_ && stop_.wait_until(mutex_, when)) continue;
  return stopping_;
}

/// Takes what is in the rings. True if one was more than a quarter full.
bool Writer::look() {
  bool busy = drain(engine_, engine_dropped_) > engine_.capacity() / 4;
  users_.for_each([&](EventRing& ring, std::uint32_t number, const char* name) {
    if (!std::exchange(users_known_[number - 1], true)) recording_.add_thread(number, name);
    busy |= drain(ring, users_dropped_[number - 1]) > ring.capacity() / 4;
  });
  const std::uint64_t homeless = users_.homeless();
  say_dropped(homeless - std::exchange(homeless_, homeless));
  return busy;
}

std::uint64_t Writer::drain(EventRing& ring, std::uint64_t& dropped_before) {
  return ring.drain([this](const Record& record) { recording_.add(record); },
                    [&](std::uint64_t dropped) { say_dropped(dropped - std::exchange(dropped_before, dropped)); });
}

void Writer::say_dropped(std::uint64_t count) {
  if (count == 0) return;
  recording_.add_dropped(count, clock_.now());
  if (std::exchange(drop_reported_, true)) return;
  log_.warning("timeline: events come faster than " + file_.path() +
               " can be written; some are missing, the file says how many and where");
}

void Writer::report() {
  if (recording_.lost() == 0 || std::exchange(failure_reported_, true)) return;
  log_.warning("timeline: cannot write " + file_.path() + ": " + std::generic_category().message(file_.failure()) +
               "; events are lost from here on unless that changes, and the training goes on");
}

}  // namespace treering::timeline
