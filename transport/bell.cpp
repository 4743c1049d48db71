#include "transport/bell.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "treering/status.h"

namespace treering::transport {

// Why no ring is lost: the ringer increments `rings` and then reads `asleep`; the sleeper writes `asleep` and then
// reads `rings`. All four are sequentially consistent, so at least one of them sees the other's write: either the
// sleeper finds a new count and does not sleep, or the ringer finds the flag and writes the eventfd, which keeps its
// value until the sleeper polls it.
void Bell::ring() const {
  word_->rings.fetch_add(1, std::memory_order_seq_cst);
  if (word_->asleep.load(std::memory_order_seq_cst) == 0) return;
  const std::uint64_t one = 1;
  while (::write(eventfd_, &one, sizeof one) < 0 && errno == EINTR) {
  }
}

void Bell::declare_awake() const {
  word_->asleep.store(0, std::memory_order_seq_cst);
  std::uint64_t count = 0;
  while (::read(eventfd_, &count, sizeof count) < 0 && errno == EINTR) {
  }
}

UniqueFd make_bell_descriptor() {
  const int fd = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (fd < 0)
    throw Error(StatusCode::unavailable, std::string("cannot make an eventfd for the rank's bell: ") +
                                             std::strerror(errno) +
                                             " (too many open files? raise the limit with ulimit -n)");
  return UniqueFd(fd);
}

}  // namespace treering::transport
