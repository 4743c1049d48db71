#pragma once

#include <functional>
#include <vector>

#include "base/bytes.h"
#include "treering/status.h"

namespace treering::transport {

/// Exchange of every rank's bytes, by rank; collective and blocking, at start only.
using Gather = std::function<std::vector<Bytes>(const Bytes&)>;

/// One rank's part of a step of the start may fail; all must go on or stop together. Throws the failure of the lowest
/// rank that has one, with its rank in front, on every rank.
void agree(const Gather& gather, const Status& mine);

}  // namespace treering::transport
