#include "device/sim/schedule.h"

#include <algorithm>

namespace treering::device::sim {

namespace {

constexpr std::size_t many = 64;
constexpr std::uint64_t least_piece = 64 * 1024;  // of long work, so that it takes a bounded number of steps

}  // namespace

Schedule::Schedule(std::uint64_t seed) : random_(seed), temper_(static_cast<Temper>(seed % 4)) {}

std::size_t Schedule::steps_after_enqueue() {
  switch (temper_) {
    case Temper::eager: return many;
    case Temper::lazy: return 0;
    case Temper::even: return below(3);
    case Temper::uneven: return below(16) == 0 ? 8 : below(2);
  }
  return 0;
}

std::size_t Schedule::steps_after_question() {
  switch (temper_) {
    case Temper::eager: return many;
    case Temper::lazy: return below(2);
    case Temper::even: return 1 + below(4);
    case Temper::uneven: return below(4);
  }
  return 0;
}

std::size_t Schedule::choose(std::span<const std::uint32_t> priorities) {
  if (temper_ != Temper::uneven || below(16) == 0) return below(priorities.size());
  return static_cast<std::size_t>(std::ranges::max_element(priorities) - priorities.begin());
}

std::uint64_t Schedule::piece_end(std::uint64_t done, std::uint64_t size, std::uint64_t unit) {
  const std::uint64_t units = (size - done) / unit;
  if (units < 2 || below(2) == 0) return size;
  const std::uint64_t least = std::min(units, least_piece / unit);
  const std::uint64_t taken = size - done < least_piece ? 1 + below(units) : least + below(units - least + 1);
  return std::min(size, done + taken * unit);
}

}  // namespace treering::device::sim
