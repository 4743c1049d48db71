#pragma once

#include <memory>
#include <vector>

#include "transport/fabric.h"

namespace treering::transport::inproc {

class State;

/// A job whose ranks are threads of this process: the whole engine without MPI, under sanitizers and with deaths on
/// demand. Nodes as in FabricOptions::node_map; empty = one node. Devices by rank; empty = all as in the options.
class Job {
 public:
  /// Throws Error for options that make no sense.
  Job(int size, const FabricOptions& options, const std::vector<int>& devices = {});
  ~Job();

  /// The rank's fabric; once per rank. It outlives the Job if need be. Any thread.
  std::unique_ptr<Fabric> fabric(int rank);

  /// Makes a rank look dead to its node and its neighbours, as if its process had been killed. Its thread should touch
  /// its fabric no more, except to destroy it. Any thread.
  void kill(int rank);

 private:
  std::shared_ptr<State> state_;
};

/// All fabrics of a job at once, by rank.
std::vector<std::unique_ptr<Fabric>> make_fabrics(int size, const FabricOptions& options,
                                                  const std::vector<int>& devices = {});

}  // namespace treering::transport::inproc
