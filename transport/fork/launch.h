#pragma once

#include <functional>
#include <vector>

#include "transport/fork/seat.h"

namespace treering::transport::fork {

/// How a rank's process ended.
struct Ending {
  int status = 0;  ///< what its body returned, or 128 + the number of the signal that ended it
};

/// Runs `body` in one forked process per rank and waits for all of them; by rank. To be called while the process has a
/// single thread. A forked process ends by _exit with what `body` returns, or 1 if it throws, and is killed if the
/// launcher dies. Throws Error if not all processes can be made; those that were are killed.
std::vector<Ending> launch(int size, const std::function<int(const Seat&)>& body);

}  // namespace treering::transport::fork
