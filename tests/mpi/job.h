#pragma once

#include <mpi.h>

#include <functional>

#include "tests/bodies/small_config.h"
#include "treering/treering.h"

namespace treering::test {

/// Node map and the like from the environment.
inline Config small_config() { return small_config(Config::from_environment()); }

inline void on_engine(const Config& config, const std::function<void(Engine&)>& body) {
  const auto engine = Engine::start(config);
  body(*engine);
}

/// Wildcard receives on the user's communicator would swallow the engine's messages if they shared one.
inline bool user_traffic_is_intact(int step) {
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int out = rank * 1000 + step;
  int in = -1;
  MPI_Request request;
  MPI_Isend(&out, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD, &request);
  MPI_Status status;
  MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return in == (rank + size - 1) % size * 1000 + step && status.MPI_TAG == 7;
}

}  // namespace treering::test
