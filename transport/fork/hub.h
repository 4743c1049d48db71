#pragma once

#include <vector>

#include "base/bytes.h"
#include "transport/deadline.h"
#include "transport/fork/seat.h"

namespace treering::transport::fork {

/// Every rank's bytes, by rank: rank 0 collects them and hands them out. Collective and blocking. Throws Error when the
/// deadline passes or a process has ended, naming the rank.
std::vector<Bytes> gather_over(const Seat& seat, const Bytes& mine, const Deadline& deadline);

}  // namespace treering::transport::fork
