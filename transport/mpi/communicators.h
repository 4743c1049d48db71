#pragma once

#include <mpi.h>

#include <vector>

#include "base/bytes.h"

namespace treering::transport::mpi {

/// Private duplicates of the job's communicator, with errors returned. Leaked unless freed.
class Communicators {
 public:
  /// Collective. Throws Error.
  explicit Communicators(MPI_Comm job);
  Communicators(const Communicators&) = delete;
  Communicators& operator=(const Communicators&) = delete;

  MPI_Comm start() const { return start_; }      ///< blocking collectives of the start
  MPI_Comm control() const { return control_; }  ///< control frames
  MPI_Comm data() const { return data_; }        ///< the wire
  int rank() const { return rank_; }
  int size() const { return size_; }
  int max_tag() const { return max_tag_; }

  /// Every rank's bytes, by rank. Collective and blocking. Throws Error.
  std::vector<Bytes> gather_all(const Bytes& mine) const;

  /// Local, on the thread that ends the engine; only when nothing is under way any more on any of them.
  void free();

 private:
  MPI_Comm start_ = MPI_COMM_NULL;
  MPI_Comm control_ = MPI_COMM_NULL;
  MPI_Comm data_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  int max_tag_ = 0;
};

}  // namespace treering::transport::mpi
