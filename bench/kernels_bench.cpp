/// How fast the host kernels are, level by level, against memcpy in the same run. Figures are loads plus stores in
/// GB/s, medians of alternating rounds; "ns" is the cost of one small call.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "device/kernels.h"

namespace {

using namespace treering;
using namespace treering::device;

struct Work {
  const char* what;
  Reduction reduction;
  std::size_t sources;
  std::size_t destinations;
  bool in_place;  ///< destination d is source d
};

constexpr Work works[] = {
    {"f32 sum, 2 -> 1 in place", {DataType::f32, ReduceOp::sum}, 2, 1, true},
    {"f32 sum, 2 -> 2 in place", {DataType::f32, ReduceOp::sum}, 2, 2, true},
    {"f32 average, 2 -> 2 in place", {DataType::f32, ReduceOp::average, 1, 0, Finish::scale, 0.5}, 2, 2, true},
    {"f32 sum, 4 -> 4 in place", {DataType::f32, ReduceOp::sum}, 4, 4, true},
    {"f32 sum, 8 -> 8 in place", {DataType::f32, ReduceOp::sum}, 8, 8, true},
    {"f32 sum, 2 -> 1 elsewhere", {DataType::f32, ReduceOp::sum}, 2, 1, false},
    {"f32 max, 2 -> 1 in place", {DataType::f32, ReduceOp::max}, 2, 1, true},
    {"f64 sum, 2 -> 1 in place", {DataType::f64, ReduceOp::sum}, 2, 1, true},
    {"f16 sum, 2 -> 1 in place", {DataType::f16, ReduceOp::sum}, 2, 1, true},
    {"bf16 sum, 2 -> 1 in place", {DataType::bf16, ReduceOp::sum}, 2, 1, true},
    {"i32 average, 2 -> 1 in place", {DataType::i32, ReduceOp::average, 1, 0, Finish::divide, 1, 3}, 2, 1, true},
    {"u8 product, 2 -> 1 in place", {DataType::u8, ReduceOp::product}, 2, 1, true},
    {"i64 product, 2 -> 1 in place", {DataType::i64, ReduceOp::product}, 2, 1, true},
};

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

/// Areas of memory for one size; area i starts 192 * i bytes into a page, lest all compete for the same cache sets.
class Arena {
 public:
  Arena(std::size_t areas, std::size_t bytes) : bytes_(bytes), memory_(areas * stride() / sizeof(float), 1e-3F) {}

  std::byte* area(std::size_t index) { return reinterpret_cast<std::byte*>(memory_.data()) + index * stride(); }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t stride() const { return bytes_ + 4096 + 192; }
  std::size_t bytes_;
  std::vector<float> memory_;
};

/// Large sizes are walked in pieces of this size, as the runner does.
constexpr std::size_t piece = 256 * 1024;

void reduce_once(const HostKernels& kernels, const Work& work, Arena& arena) {
  std::vector<const std::byte*> sources(work.sources);
  std::vector<std::byte*> destinations(work.destinations);
  for (std::size_t offset = 0; offset < arena.bytes(); offset += piece) {
    for (std::size_t s = 0; s < work.sources; ++s) sources[s] = arena.area(s) + offset;
    for (std::size_t d = 0; d < work.destinations; ++d) {
      destinations[d] = arena.area(work.in_place ? d : work.sources + d) + offset;
    }
    kernels.reduce(work.reduction, sources, destinations, std::min(piece, arena.bytes() - offset));
  }
}

void copy_once(Arena& arena) {
  for (std::size_t offset = 0; offset < arena.bytes(); offset += piece) {
    std::memcpy(arena.area(1) + offset, arena.area(0) + offset, std::min(piece, arena.bytes() - offset));
  }
}

/// Seconds for one call, from enough calls to fill a millisecond.
template <class Call>
double time_calls(std::size_t bytes, Call call) {
  const std::size_t calls = std::max<std::size_t>(1, (std::size_t{8} << 20) / std::max<std::size_t>(bytes, 256));
  const double begin = seconds_now();
  for (std::size_t i = 0; i < calls; ++i) call();
  return (seconds_now() - begin) / static_cast<double>(calls);
}

void bench_size(std::size_t bytes, int rounds) {
  Arena arena(10, bytes);
  const std::span<const HostKernels* const> levels = all_host_kernels();
  std::printf("\n%zu KiB per operand\n%-30s %10s", bytes / 1024, "", "memcpy");
  for (const HostKernels* level : levels) std::printf(" %10s", level->name);
  std::printf("\n");
  for (const Work& work : works) {
    std::vector<double> copies;
    std::vector<std::vector<double>> times(levels.size());
    for (int round = 0; round < rounds; ++round) {
      copies.push_back(time_calls(bytes, [&] { copy_once(arena); }));
      for (std::size_t i = 0; i < levels.size(); ++i) {
        times[i].push_back(time_calls(bytes, [&] { reduce_once(*levels[i], work, arena); }));
      }
    }
    std::printf("%-30s %10.1f", work.what, 2e-9 * static_cast<double>(bytes) / median(copies));
    const auto traffic = static_cast<double>(bytes * (work.sources + work.destinations));
    for (const auto& level_times : times) std::printf(" %10.1f", 1e-9 * traffic / median(level_times));
    std::printf("\n");
  }
}

void bench_small() {
  constexpr std::size_t bytes = 256 * sizeof(float);
  Arena arena(4, bytes);
  std::printf("\n256 f32, ns per call\n");
  for (const std::size_t destination_count : {std::size_t{1}, std::size_t{2}}) {
    const std::vector<const std::byte*> sources = {arena.area(0), arena.area(1)};
    const std::vector<std::byte*> destinations = {arena.area(0), arena.area(1)};
    const std::span<std::byte* const> used = std::span(destinations).first(destination_count);
    for (const HostKernels* level : all_host_kernels()) {
      std::vector<double> times;
      for (int round = 0; round < 9; ++round) {
        times.push_back(time_calls(bytes, [&] { level->reduce({}, sources, used, bytes); }));
      }
      std::printf("%-10s 2 -> %zu %8.1f\n", level->name, destination_count, 1e9 * median(times));
    }
  }
}

}  // namespace

int main() {
  bench_small();
  bench_size(16 * 1024, 7);
  bench_size(256 * 1024, 7);
  bench_size(std::size_t{64} << 20, 5);
  return 0;
}
