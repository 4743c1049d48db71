#pragma once

#include <sys/types.h>

#include "base/unique_fd.h"

namespace treering::transport::shm {

/// A descriptor that stands for a process and becomes readable when it has ended; invalid if the kernel refuses.
UniqueFd open_process(pid_t pid);

/// SIGKILL for the process behind the handle, never for a later one with the same number.
void kill_process(const UniqueFd& process);

/// True once the process has ended.
bool has_ended(const UniqueFd& process);

}  // namespace treering::transport::shm
