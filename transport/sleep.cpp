#include "transport/sleep.h"

#include <sys/prctl.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "base/check.h"

namespace treering::transport {

bool poll_for(std::span<pollfd> descriptors, std::optional<Nanoseconds> limit) {
  const RealClock clock;
  const Nanoseconds until = limit ? clock.now() + std::max<Nanoseconds>(*limit, 0) : 0;
  for (;;) {
    timespec left{};
    if (limit) {
      const Nanoseconds rest = std::max<Nanoseconds>(until - clock.now(), 0);
      left.tv_sec = static_cast<time_t>(rest / 1'000'000'000);
      left.tv_nsec = static_cast<long>(rest % 1'000'000'000);
    }
    const int ready = ::ppoll(descriptors.data(), descriptors.size(), limit ? &left : nullptr, nullptr);
    if (ready >= 0) return ready > 0;
    TREERING_CHECK(errno == EINTR, "ppoll refuses to wait");
  }
}

void make_waits_precise() { ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); }

}  // namespace treering::transport
