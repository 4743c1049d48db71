#include "engine/last_exit.h"

#include <cstdio>
#include <cstdlib>
#include <thread>

namespace treering {

void exit_after(std::chrono::milliseconds patience, const std::string& cause) {
  // Detached: it must outlive the engine, since it is after the engine's end that programs get stuck.
  std::thread([patience, cause] {
    std::this_thread::sleep_for(patience);
    std::fprintf(stderr, "treering: still here %lld ms after the job failed; ending this process. The cause was: %s\n",
                 static_cast<long long>(patience.count()), cause.c_str());
    std::_Exit(1);
  }).detach();
}

}  // namespace treering
