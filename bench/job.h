#pragma once

#include <mpi.h>
#include <treering/treering.h>

#include <memory>
#include <vector>

namespace bench {

/// MPI, an engine on it, and what the ranks of a benchmark say to each other outside of what is timed.
///
/// All of it polls and yields instead of blocking in MPI: with more ranks than cores a blocking call costs whole ticks
/// of the scheduler, and a rank that sits in MPI would disturb an engine that is being timed.
class Job {
 public:
  /// Starts MPI and the engine; collective.
  Job(int* argc, char*** argv);
  /// Shuts the engine down, then MPI.
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  treering::Engine& engine() const { return *engine_; }
  MPI_Comm communicator() const { return communicator_; }
  int rank() const { return engine_->rank(); }
  int size() const { return engine_->size(); }
  int nodes() const { return engine_->node_count(); }
  int cores() const { return cores_; }
  /// More ranks than cores on some node.
  bool crowded() const { return crowded_; }

  /// All ranks leave within microseconds of each other.
  void sync() const;
  /// Element by element over the ranks; equally many on each.
  std::vector<double> largest(std::vector<double> values) const;
  std::vector<double> total(std::vector<double> values) const;

 private:
  std::vector<double> combine(std::vector<double> values, MPI_Op op) const;

  MPI_Comm communicator_ = MPI_COMM_NULL;
  std::unique_ptr<treering::Engine> engine_;
  int cores_ = 0;  ///< that this process may use
  bool crowded_ = false;
};

/// Polls a request until it is complete, giving the core away in between.
void wait_yielding(MPI_Request request);

}  // namespace bench
