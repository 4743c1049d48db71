#pragma once

#include <memory>

#include "base/log.h"
#include "transport/fabric.h"
#include "transport/fork/seat.h"

namespace treering::transport::fork {

/// Starts a fabric for the processes of a forked job, which are one node. Collective; blocks until everybody is there,
/// at most FabricOptions::start_timeout. Throws Error, also for options that need several nodes.
std::unique_ptr<Fabric> start(const FabricOptions& options, const Seat& seat, const Log& log);

}  // namespace treering::transport::fork
