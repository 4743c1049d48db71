#pragma once

#include <cstdint>
#include <string>

namespace treering::ops {

/// The shared counters of one member on one lane. `width` is the larger of the job's shares and its largest local size.
///
/// * up(j): chunk k of share j of this member (and of all below it) is in its slot
/// * down(j): the finished chunk k of share j is in its slot
/// * copied(j): it has taken chunk k of share j from its parent's slot
/// * memory: it touches no other member's inputs and outputs any more
/// * finished: it touches nothing of the lane any more; when all say so the lane is free
struct CounterLayout {
  int width = 1;

  std::uint16_t up(int j) const { return static_cast<std::uint16_t>(j); }
  std::uint16_t down(int j) const { return static_cast<std::uint16_t>(width + j); }
  std::uint16_t copied(int j) const { return static_cast<std::uint16_t>(2 * width + j); }
  std::uint16_t memory() const { return static_cast<std::uint16_t>(3 * width); }

  // A spread has two independent pipelines: what a member feeds in itself, and what it relays from other nodes.
  std::uint16_t fed() const { return up(0); }
  std::uint16_t relayed() const { return memory(); }
  std::uint16_t taken_fed(int holder) const { return down(holder); }
  std::uint16_t taken_relayed(int holder) const { return copied(holder); }

  std::uint16_t finished() const { return static_cast<std::uint16_t>(3 * width + 1); }
  std::uint16_t count() const { return static_cast<std::uint16_t>(3 * width + 2); }

  /// For people.
  std::string name(int index) const;
};

}  // namespace treering::ops
