// The first program: every rank brings a vector, every rank gets the average. Run: mpiexec -n 4 hello
#include <treering/treering.h>

#include <cstdio>
#include <vector>

int main() {
  try {
    const auto engine = treering::Engine::start();
    std::vector<float> values(5, static_cast<float>(engine->rank()));  // 0 0 0 0 0 on rank 0, 1 1 1 1 1 on rank 1, ...

    auto pending = engine->allreduce("values", treering::view(values), treering::ReduceOp::average);
    // ... time to compute something else: the engine works in the background ...
    pending.wait();

    std::printf("rank %d of %d: the average is %g\n", engine->rank(), engine->size(), values[0]);
  } catch (const treering::Error& error) {
    std::fprintf(stderr, "hello: %s\n", error.what());
    return 1;
  }
}
