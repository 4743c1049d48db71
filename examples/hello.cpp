#include <treering/treering.h>

#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
  std::vector<float> weights(1000);  // tensors before the engine, so that they outlive it
  treering::Buffer<float> gradient;

  auto engine = treering::Engine::start();  // collective; starts MPI if nobody has
  std::ranges::fill(weights, engine->rank() == 0 ? 1.0F : 0.0F);
  engine->broadcast("weights", treering::view(weights), 0).wait();  // everybody has rank 0's

  gradient = engine->allocate<float>(weights.size());  // memory that the node's other ranks can map
  for (int step = 0; step < 3; ++step) {
    for (float& value : gradient) value = static_cast<float>(engine->rank() + step);
    auto pending = engine->allreduce("gradient", treering::view(gradient), treering::ReduceOp::average);
    // ... the backward pass of earlier layers runs here, while the gradient is on its way ...
    pending.wait();  // throws treering::Error: which tensor, which ranks, what to do
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] -= 0.1F * gradient[i];
  }
  std::printf("rank %d of %d: weight %.3f\n", engine->rank(), engine->size(), static_cast<double>(weights[0]));
}
