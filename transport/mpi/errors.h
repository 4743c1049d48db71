#pragma once

#include "treering/status.h"

namespace treering::transport::mpi {

/// The one place that turns MPI's error codes into ours. `call` names the MPI function.
Status status_of(int code, const char* call);

/// Throws Error unless the code says success.
void check(int code, const char* call);

}  // namespace treering::transport::mpi
