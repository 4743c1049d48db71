#include "timeline/exit_hook.h"

#include <unistd.h>

#include <cstdlib>
#include <map>
#include <utility>

#include "base/mutex.h"

namespace treering::timeline {

struct ExitHook::Registry {
  Mutex mutex;
  std::map<const ExitHook*, std::function<void()>> actions TREERING_GUARDED_BY(mutex);
  pid_t process = ::getpid();
};

/// The process has one end, so there is one of these; never destroyed, since hooks may outlive static objects.
ExitHook::Registry& ExitHook::registry() {
  static Registry* const only = [] {
    auto* made = new Registry;
    std::atexit([] {
      Registry& all = registry();
      if (::getpid() != all.process) return;
      const MutexLock lock(all.mutex);
      for (const auto& [hook, action] : std::exchange(all.actions, {})) action();
    });
    return made;
  }();
  return *only;
}

ExitHook::ExitHook(std::function<void()> action) {
  Registry& all = registry();
  const MutexLock lock(all.mutex);
  all.actions.emplace(this, std::move(action));
}

ExitHook::~ExitHook() {
  Registry& all = registry();
  const MutexLock lock(all.mutex);
  all.actions.erase(this);
}

}  // namespace treering::timeline
