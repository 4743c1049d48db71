#include "bench/job.h"

#include <sched.h>

#include <utility>

namespace bench {
namespace {

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

}  // namespace

void wait_yielding(MPI_Request request) {
  int done = 0;
  while (true) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    sched_yield();
  }
}

Job::Job(int* argc, char*** argv) : cores_(usable_cores()) {
  int level = 0;
  MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_dup(MPI_COMM_WORLD, &communicator_);
  engine_ = treering::Engine::start();
  crowded_ = largest({engine_->local_size() > cores_ ? 1.0 : 0.0})[0] > 0;
}

Job::~Job() {
  engine_.reset();
  MPI_Comm_free(&communicator_);
  MPI_Finalize();
}

void Job::sync() const {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(communicator_, &request);
  wait_yielding(request);
}

std::vector<double> Job::combine(std::vector<double> values, MPI_Op op) const {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, op, communicator_, &request);
  wait_yielding(request);
  return values;
}

std::vector<double> Job::largest(std::vector<double> values) const { return combine(std::move(values), MPI_MAX); }
std::vector<double> Job::total(std::vector<double> values) const { return combine(std::move(values), MPI_SUM); }

}  // namespace bench
