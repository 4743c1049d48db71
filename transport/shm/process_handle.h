#pragma once

#include <sys/types.h>

#include "transport/descriptor.h"

namespace treering::transport::shm {

/// A descriptor that stands for a process and becomes readable when it has ended; invalid if the kernel refuses.
Descriptor open_process(pid_t pid);

/// SIGKILL for the process behind the handle, never for a later one with the same number.
void kill_process(const Descriptor& process);

/// True once the process has ended.
bool has_ended(const Descriptor& process);

}  // namespace treering::transport::shm
