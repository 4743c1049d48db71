#pragma once

#include <mpi.h>

#include <vector>

#include "transport/gather.h"
#include "transport/mpi/nodes.h"

namespace treering::transport::mpi {

/// Where every rank is, by rank. Collective. Throws Error.
std::vector<Place> find_places(MPI_Comm job, const Gather& gather);

}  // namespace treering::transport::mpi
