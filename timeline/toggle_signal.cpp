#include "timeline/toggle_signal.h"

#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>

#include "base/mutex.h"
#include "timeline/blocked_signals.h"
#include "treering/status.h"

namespace treering::timeline {

namespace {

constexpr std::size_t most_places = 16;
constexpr std::uint64_t ended = std::uint64_t{1} << 32;  // added to a place's counter; signals add one each

/// What a signal handler can reach is static. Descriptors are made once and kept: the handler may be about to write.
struct Places {
  std::array<std::atomic<int>, most_places> fds;
  std::array<std::atomic<bool>, most_places> used{};
  Mutex mutex;
  int users TREERING_GUARDED_BY(mutex) = 0;
  struct sigaction before TREERING_GUARDED_BY(mutex) = {};

  Places() {
    for (std::atomic<int>& fd : fds) fd.store(-1);
  }
};

Places& places() {
  static Places* const only = new Places;
  return *only;
}

void on_signal(int) {
  const int kept = errno;
  const Places& all = places();  // made before the handler was installed
  constexpr std::uint64_t one = 1;
  for (std::size_t i = 0; i < most_places; ++i)
    if (all.used[i].load()) static_cast<void>(::write(all.fds[i].load(), &one, sizeof one) == 0);
  errno = kept;
}

void install(Places& all) TREERING_REQUIRES(all.mutex) {
  struct sigaction before{};
  ::sigaction(SIGUSR2, nullptr, &before);
  if ((before.sa_flags & SA_SIGINFO) != 0 || (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN))
    throw Error(StatusCode::unavailable,
                "timeline: the program handles SIGUSR2 itself; unset TREERING_TIMELINE_SIGNAL and use "
                "Engine::timeline_start");
  all.before = before;
  struct sigaction mine{};
  mine.sa_handler = on_signal;
  mine.sa_flags = SA_RESTART;
  ::sigaction(SIGUSR2, &mine, nullptr);
}

std::size_t take_place() {
  Places& all = places();
  const MutexLock lock(all.mutex);
  for (std::size_t i = 0; i < most_places; ++i) {
    if (all.used[i].load()) continue;
    if (all.fds[i].load() < 0) all.fds[i].store(::eventfd(0, EFD_CLOEXEC));
    if (all.fds[i].load() < 0) break;
    if (all.users == 0) install(all);
    ++all.users;
    all.used[i].store(true);
    return i;
  }
  throw Error(StatusCode::unavailable, "timeline: too many engines listen for SIGUSR2; unset TREERING_TIMELINE_SIGNAL");
}

void give_back(std::size_t place) {
  Places& all = places();
  const MutexLock lock(all.mutex);
  all.used[place].store(false);
  if (--all.users == 0) ::sigaction(SIGUSR2, &all.before, nullptr);
}

}  // namespace

ToggleSignal::ToggleSignal(std::function<void()> toggle) : toggle_(std::move(toggle)), place_(take_place()) {
  const SignalsBlocked guard;
  thread_ = std::thread([this] { watch(); });
  pthread_setname_np(thread_.native_handle(), "treering-usr2");
}

ToggleSignal::~ToggleSignal() {
  const int fd = places().fds[place_].load();
  static_cast<void>(::write(fd, &ended, sizeof ended) == 0);
  thread_.join();
  give_back(place_);
}

void ToggleSignal::watch() {
  const int fd = places().fds[place_].load();
  while (true) {
    std::uint64_t count = 0;
    if (::read(fd, &count, sizeof count) != sizeof count) continue;
    if (count >= ended) return;
    if (count % 2 != 0) toggle_();
  }
}

}  // namespace treering::timeline
