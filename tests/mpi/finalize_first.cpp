// A program that ends MPI before its engine: the engine must have shut down by then, with everybody's agreement.

#include <mpi.h>

#include <cstdio>
#include <vector>

#include "treering/treering.h"

namespace {

int fail(const char* why) {
  std::fprintf(stderr, "finalize_first: %s\n", why);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  std::vector<float> values(1000, 1.0F);
  const auto engine = treering::Engine::start();
  engine->allreduce("values", treering::view(values), treering::ReduceOp::sum).wait();
  const float size = static_cast<float>(engine->size());
  MPI_Finalize();
  for (const float value : values)
    if (value != size) return fail("a wrong sum");
  const treering::Handle late = engine->allreduce("late", treering::view(values), treering::ReduceOp::sum);
  if (!late.done() || late.status().code() != treering::StatusCode::shut_down)
    return fail("the engine did not shut down when MPI ended");
  return 0;
}
