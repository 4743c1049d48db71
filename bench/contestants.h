#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/job.h"
#include "bench/measure.h"
#include "bench/model_sets.h"

namespace bench {

/// MPI adds up tensor by tensor, in place, in ordinary memory: blocking, or polled with a yield if ranks outnumber
/// cores, where a blocking call would cost whole ticks of the scheduler and be no fair peer.
Contestant mpi_peer(const Job& job, const std::vector<TensorSize>& sizes);

/// The engine gets all tensors at once, in order, then we wait for all.
Contestant treering_ordinary(const Job& job, const std::vector<TensorSize>& sizes);
/// The same with tensors in memory from `Engine::allocate`.
Contestant treering_shared(const Job& job, const std::vector<TensorSize>& sizes);

}  // namespace bench
