#pragma once

#include <cstddef>

namespace treering::timeline {

/// Exchanges the bytes "]" at `boundary` - 1 and " " at `boundary` of a file, a page boundary that both exist around,
/// so that a process killed at any moment has done both or neither: with one store into a shared mapping, which no
/// signal can interrupt, where `pwrite` may stop between the pages. False, and nothing done, where the file system or
/// the kernel (before Linux 5.14) cannot.
bool move_bracket_over(int fd, std::size_t boundary);

}  // namespace treering::timeline
