// A training loop in which something is wrong on purpose, for the timeline to find.
//
// usage: timeline_injected late|order|huge|slow|normal [milliseconds] [steps]

#include <treering/treering.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t tensors = 16;
constexpr std::size_t usual = 16 * 1024;  // elements
constexpr std::chrono::milliseconds layer{3};

std::string name_of(std::size_t tensor) { return "grad/" + std::to_string(tensor / 10) + std::to_string(tensor % 10); }

/// The place of a turn's tensor: others go from the last layer to the first, as a backward pass does.
std::size_t tensor_at(std::size_t turn, bool forwards) { return forwards ? turn : tensors - 1 - turn; }

std::size_t elements_of(const std::string& scenario, std::size_t tensor) {
  if (scenario == "huge" && tensor == 9) return 1024 * usual;
  return scenario == "slow" ? 8 * usual : usual;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string scenario = argc > 1 ? argv[1] : "normal";
  const std::chrono::milliseconds delay{argc > 2 ? std::atoi(argv[2]) : 50};
  const int steps = argc > 3 ? std::atoi(argv[3]) : 12;
  std::vector<std::vector<float>> gradients(tensors);
  for (std::size_t tensor = 0; tensor < tensors; ++tensor) gradients[tensor].resize(elements_of(scenario, tensor));
  auto engine = treering::Engine::start();
  const bool forwards = scenario == "order" && engine->rank() == 1;
  const bool late = scenario == "late" && engine->rank() == 2;
  for (int step = 0; step < steps; ++step) {
    for (auto& gradient : gradients)
      std::fill(gradient.begin(), gradient.end(), static_cast<float>(engine->rank() + step));
    std::vector<treering::Handle> pending;
    for (std::size_t turn = 0; turn < tensors; ++turn) {
      std::this_thread::sleep_for(layer);
      const std::size_t tensor = tensor_at(turn, forwards);
      if (late && tensor == 7) std::this_thread::sleep_for(delay);
      pending.push_back(engine->allreduce(name_of(tensor), treering::view(gradients[tensor]), treering::ReduceOp::sum));
    }
    for (treering::Handle& handle : pending) handle.wait();
    const float wanted = static_cast<float>(engine->size() * (engine->size() - 1) / 2 + engine->size() * step);
    for (const auto& gradient : gradients)
      if (std::any_of(gradient.begin(), gradient.end(), [wanted](float value) { return value != wanted; })) {
        std::fprintf(stderr, "step %d: a sum is wrong\n", step);
        return 1;
      }
  }
  return 0;
}
