#pragma once

#include <memory>

#include "base/log.h"
#include "transport/fabric.h"

namespace treering::transport::mpi {

/// Starts a fabric over MPI for the ranks of `communicator` (an MPI_Comm*; null = MPI_COMM_WORLD). Joins an initialised
/// MPI or initialises it. Collective; blocks until everybody is there, or ends the process with the name of the stalled
/// step at FabricOptions::start_timeout. Throws Error, on every rank alike wherever the cause can be agreed.
std::unique_ptr<Fabric> start(const FabricOptions& options, const void* communicator, const Log& log);

}  // namespace treering::transport::mpi
