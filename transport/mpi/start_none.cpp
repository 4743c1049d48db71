#include "transport/mpi/start.h"

namespace treering::transport::mpi {

std::unique_ptr<Fabric> start(const FabricOptions&, const void*, const Log&) {
  throw Error(StatusCode::unavailable,
              "Treering was built without MPI: start the program with treering-fork, or build with -Dmpi=enabled");
}

}  // namespace treering::transport::mpi
