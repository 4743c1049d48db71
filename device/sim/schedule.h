#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>

namespace treering::device::sim {

/// Every choice that hardware leaves open, drawn from a seed. Each seed has a temper: some run work at once, some only
/// when asked, some pick streams evenly, some let one stream run far ahead of another; bugs of order need one or other.
class Schedule {
 public:
  explicit Schedule(std::uint64_t seed);

  /// Steps to make after a call that enqueued, and after a question.
  std::size_t steps_after_enqueue();
  std::size_t steps_after_question();
  /// Which of the streams that could go on does; `priorities` in their order.
  std::size_t choose(std::span<const std::uint32_t> priorities);
  std::uint32_t priority() { return static_cast<std::uint32_t>(random_()); }
  /// Whether the priorities are to be drawn again.
  bool reshuffle() { return temper_ == Temper::uneven && below(8) == 0; }
  /// Where a piece of [done, size) ends; a multiple of `unit` after done, or size.
  std::uint64_t piece_end(std::uint64_t done, std::uint64_t size, std::uint64_t unit);
  /// Uniform in [0, bound).
  std::uint64_t below(std::uint64_t bound) { return bound < 2 ? 0 : random_() % bound; }

 private:
  enum class Temper : std::uint8_t { eager, lazy, even, uneven };

  std::mt19937_64 random_;
  Temper temper_;
};

}  // namespace treering::device::sim
