// One job in which something goes wrong: `faults SCENARIO`. Every rank that survives prints one line, "survivor R:
// ...", with the code and the message of the error that its handles ended with; faults_test.py checks what is printed,
// how long it takes and that nothing is left behind.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "treering/treering.h"

using namespace treering;

namespace {

constexpr int victim = 1;
constexpr int step_of_fault = 20;

void report(int rank, const Error& error, const std::vector<Handle>& handles) {
  std::size_t done = 0;
  for (const Handle& handle : handles) done += handle.done() ? 1U : 0U;
  const std::string line = fmt::format("survivor {}: code {}, {} of {} handles done: {}\n", rank,
                                       static_cast<int>(error.code()), done, handles.size(), error.what());
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

/// Declared before the engine, so that unwinding ends the engine before the memory.
struct Tensors {
  Buffer<float> mapped;
  std::vector<float> ordinary = std::vector<float>(500'000);
  std::vector<float> small = std::vector<float>(100);
};

/// The handles are done: nobody may write here any more, however late he learns of the failure.
void check_left_alone(int rank, Tensors& tensors) {
  const auto all = [&](const auto& visit) {
    visit(std::span<float>(tensors.mapped.data(), tensors.mapped.size()));
    visit(std::span<float>(tensors.ordinary));
    visit(std::span<float>(tensors.small));
  };
  all([](std::span<float> values) { std::fill(values.begin(), values.end(), -3.0F); });
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  std::ptrdiff_t touched = 0;
  all([&](std::span<float> values) {
    touched += std::count_if(values.begin(), values.end(), [](float x) { return x != -3.0F; });
  });
  const std::string line = fmt::format("rank {}: {} elements written after the end\n", rank, touched);
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

/// After a pause, because what was recorded in the last moments before a death may be lost, and the traces are checked.
void fault(std::string_view scenario) {
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  if (scenario == "kill") raise(SIGKILL);
  if (scenario == "exit") std::_Exit(9);
  if (scenario == "throw") throw std::runtime_error("rank 1 meets an exception of its own");
}

/// Several tensors under way at the moment of the fault, mapped and private ones.
void train(Engine& engine, Tensors& tensors, std::string_view scenario) {
  tensors.mapped = engine.allocate<float>(3'000'000);
  std::vector<Handle> handles;
  try {
    for (int step = 0; step < 1'000'000; ++step) {
      handles.clear();
      handles.push_back(engine.allreduce("mapped", view(tensors.mapped), ReduceOp::max));
      handles.push_back(engine.allreduce("ordinary", view(tensors.ordinary), ReduceOp::max));
      if (engine.rank() == victim && step == step_of_fault) fault(scenario);
      handles.push_back(engine.allreduce("small", view(tensors.small), ReduceOp::max));
      for (const Handle& handle : handles) handle.wait();
    }
  } catch (const Error& error) {
    for (const Handle& handle : handles) handle.wait_for(std::chrono::seconds(30));
    report(engine.rank(), error, handles);
    check_left_alone(engine.rank(), tensors);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view scenario = argc > 1 ? argv[1] : "";
  if (scenario != "kill" && scenario != "exit" && scenario != "throw") {
    std::fprintf(stderr, "usage: faults kill|exit|throw\n");
    return 2;
  }
  try {
    Tensors tensors;
    const auto engine = Engine::start();
    train(*engine, tensors, scenario);
  } catch (const std::exception& error) {
    std::fprintf(stdout, "ended by an exception: %s\n", error.what());
  }
  std::fflush(stdout);
  return 0;
}
