/// What the timeline costs on ResNet-50's gradients: blocks of steps with recording on and off alternate in one job, so
/// that both see the same machine. Run under mpiexec: timeline_cost DIRECTORY [seconds].
///
/// "recording" is the cost of a record on the recording thread, times the records of a step, over the step; "writer" is
/// processor time of the writer thread, over the step. "measured" compares the medians of both kinds of step.

#include <time.h>
#include <treering/treering.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "bench/gradients.h"
#include "timeline/spool_reader.h"
#include "timeline/timeline.h"

namespace {

using namespace treering;

double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void step(Engine& engine, const bench::Gradients& gradients) {
  std::vector<Handle> handles;
  for (const auto& tensor : gradients.tensors())
    handles.push_back(engine.allreduce(tensor.name, TensorView(view(tensor.values)), ReduceOp::average));
  for (const Handle& handle : handles) handle.wait();
}

struct Steps {
  std::vector<double> on;
  std::vector<double> off;
};

Steps measure(Engine& engine, const bench::Gradients& gradients, const std::string& directory, double seconds) {
  Steps steps;
  constexpr int steps_per_block = 20;
  const double end = seconds_of(CLOCK_MONOTONIC) + seconds;
  std::vector<std::int32_t> more{1};
  for (bool on = false; more[0] != 0; on = !on) {
    if (on) engine.timeline_start(directory);
    for (int i = 0; i < steps_per_block; ++i) {
      engine.barrier().wait();
      const double begin = seconds_of(CLOCK_MONOTONIC);
      step(engine, gradients);
      if (i >= steps_per_block / 10) (on ? steps.on : steps.off).push_back(seconds_of(CLOCK_MONOTONIC) - begin);
    }
    if (on) engine.timeline_stop();
    more[0] = seconds_of(CLOCK_MONOTONIC) < end ? 1 : 0;
    engine.allreduce("more", view(more), ReduceOp::min).wait();
  }
  return steps;
}

struct Spool {
  double records = 0;
  double bytes = 0;
};

Spool spool_in(const std::string& directory, int rank) {
  std::ifstream file(directory + "/rank-" + std::to_string(rank) + ".trace", std::ios::binary);
  const std::vector<char> raw{std::istreambuf_iterator<char>(file), {}};
  timeline::SpoolReader reader(std::as_bytes(std::span(raw)));
  Spool spool;
  while (const auto block = reader.next()) spool.records += static_cast<double>(block->records.size());
  spool.bytes = static_cast<double>(raw.size());
  return spool;
}

struct RecordCost {
  double recording = 0;  ///< nanoseconds on the recording thread
  double writing = 0;    ///< nanoseconds of the writer's processor time
};

/// Records like a step's, as fast as the writer takes them; the clock is read for every other one, as in the engine.
RecordCost cost_of_record(const std::string& directory) {
  const RealClock clock;
  const Log log(LogLevel::off, 0);
  timeline::TimelineOptions options;
  options.engine_events = 1 << 20;
  options.period = std::chrono::milliseconds(5);
  timeline::Timeline timeline(std::move(options), clock, log);
  timeline.start(directory);
  std::vector<std::uint32_t> names;
  for (int i = 0; i < 161; ++i) names.push_back(timeline.name("layer" + std::to_string(i) + ".weight"));
  constexpr int rounds = 40;
  constexpr int records = 20'000;
  std::vector<double> times;
  const double process = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  const double mine = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  for (int round = 0; round < rounds; ++round) {
    const double begin = seconds_of(CLOCK_MONOTONIC);
    Nanoseconds now = 0;
    for (std::uint64_t i = 0; i < records; ++i) {
      if (i % 2 == 0) now = clock.now();
      timeline.record({timeline::Kind::agreed, names[i % names.size()], now, {i, i / 100, i % 100, 12'345}});
    }
    times.push_back((seconds_of(CLOCK_MONOTONIC) - begin) * 1e9 / records);
  }
  const double recording = seconds_of(CLOCK_THREAD_CPUTIME_ID) - mine;
  timeline.stop();
  const double all = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - process;
  return {median(times),
          (all - recording - (seconds_of(CLOCK_THREAD_CPUTIME_ID) - mine - recording)) * 1e9 / (rounds * records)};
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return std::fprintf(stderr, "usage: timeline_cost DIRECTORY [seconds]\n"), 2;
  const std::string directory = arguments[1];
  const double seconds = count > 2 ? std::atof(arguments[2]) : 10;
  int rank = 0;
  int size = 1;
  Steps steps;
  {
    auto engine = Engine::start();
    rank = engine->rank();
    size = engine->size();
    bench::Gradients gradients("g", bench::resnet50(), bench::Memory::ordinary, *engine);
    gradients.fill(1);
    for (int i = 0; i < 10; ++i) step(*engine, gradients);
    steps = measure(*engine, gradients, directory, seconds);
  }
  if (rank != 0) return 0;
  const Spool spool = spool_in(directory, rank);
  const RecordCost cost = cost_of_record(directory + "/cost");
  const double on = median(steps.on);
  const double off = median(steps.off);
  const double per_step = spool.records / (static_cast<double>(steps.on.size()) * 10 / 9);
  std::printf("%d ranks, %zu steps on and %zu off\n", size, steps.on.size(), steps.off.size());
  std::printf("step off %.3f ms, on %.3f ms, measured %+.2f %%\n", off * 1e3, on * 1e3, (on / off - 1) * 100);
  std::printf("%.0f records per step, %.1f bytes each\n", per_step, spool.bytes / spool.records);
  std::printf("recording %.1f ns per record: %.2f %% of a step\n", cost.recording,
              cost.recording * per_step / (off * 1e9) * 100);
  std::printf("writer %.1f ns of processor time per record: %.2f %% of a core\n", cost.writing,
              cost.writing * per_step / (off * 1e9) * 100);
  return 0;
}
