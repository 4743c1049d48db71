#pragma once

#include <cstddef>

#include "base/unique_fd.h"

namespace treering::transport::shm {

/// A file of zeros without a name, which disappears with its last user; invalid (with errno) if the system refuses.
/// Sparse: pages appear when touched.
UniqueFd make_memory_file(const char* label, std::size_t bytes);

}  // namespace treering::transport::shm
