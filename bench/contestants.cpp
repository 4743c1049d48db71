#include "bench/contestants.h"

#include "bench/gradients.h"

namespace bench {
namespace {

using treering::ReduceOp;

Contestant over(std::string name, const std::shared_ptr<Gradients>& gradients, std::function<void()> run) {
  return {.name = std::move(name),
          .prepare = [gradients](std::uint64_t salt) { gradients->fill(salt); },
          .run = std::move(run),
          .check = [gradients](std::uint64_t salt) { return gradients->count_wrong(salt); }};
}

Contestant treering_over(const Job& job, std::string name, const std::shared_ptr<Gradients>& gradients) {
  auto handles = std::make_shared<std::vector<treering::Handle>>();
  handles->reserve(gradients->tensors().size());
  return over(std::move(name), gradients, [&job, gradients, handles] {
    handles->clear();
    try {
      for (const Gradients::Tensor& tensor : gradients->tensors())
        handles->push_back(job.engine().allreduce(tensor.name, treering::view(tensor.values), ReduceOp::sum));
      for (const treering::Handle& handle : *handles) handle.wait();
    } catch (...) {
      job.engine().shutdown();  // ends what is under way, so that unwinding may free the tensors
      throw;
    }
  });
}

}  // namespace

Contestant mpi_peer(const Job& job, const std::vector<TensorSize>& sizes) {
  auto gradients = std::make_shared<Gradients>("", sizes, Memory::ordinary, job.engine());
  const auto blocking = [&job, gradients] {
    for (const Gradients::Tensor& tensor : gradients->tensors())
      MPI_Allreduce(MPI_IN_PLACE, tensor.values.data(), static_cast<int>(tensor.values.size()), MPI_FLOAT, MPI_SUM,
                    job.communicator());
  };
  const auto yielding = [&job, gradients] {
    for (const Gradients::Tensor& tensor : gradients->tensors()) {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Iallreduce(MPI_IN_PLACE, tensor.values.data(), static_cast<int>(tensor.values.size()), MPI_FLOAT, MPI_SUM,
                     job.communicator(), &request);
      wait_yielding(request);
    }
  };
  Contestant peer = job.crowded() ? over("MPI_Iallreduce+Test+yield", gradients, yielding)
                                  : over("MPI_Allreduce", gradients, blocking);
  peer.uses_engine = false;
  return peer;
}

Contestant treering_ordinary(const Job& job, const std::vector<TensorSize>& sizes) {
  return treering_over(job, "treering, ordinary memory",
                       std::make_shared<Gradients>("ordinary/", sizes, Memory::ordinary, job.engine()));
}

Contestant treering_shared(const Job& job, const std::vector<TensorSize>& sizes) {
  return treering_over(job, "treering, engine memory",
                       std::make_shared<Gradients>("shared/", sizes, Memory::engine, job.engine()));
}

}  // namespace bench
