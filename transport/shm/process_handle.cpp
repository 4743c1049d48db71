#include "transport/shm/process_handle.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>

#include "transport/sleep.h"

namespace treering::transport::shm {

UniqueFd open_process(pid_t pid) {
  if (pid <= 0) return {};
  return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

void kill_process(const UniqueFd& process) {
  if (process.valid()) ::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0);
}

bool has_ended(const UniqueFd& process) {
  if (!process.valid()) return false;
  pollfd entry{process.get(), POLLIN, 0};
  return poll_for({&entry, 1}, 0);
}

}  // namespace treering::transport::shm
