#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace treering::ops {

/// A moment of one actor.
struct Epoch {
  std::uint32_t actor = 0;
  std::uint32_t time = 0;  ///< 0: before everything
};

/// What is known of all actors' moments (Lamport; Mattern 1989): an access happened before if its epoch is known.
class VectorClock {
 public:
  VectorClock() = default;
  explicit VectorClock(std::size_t actors) : times_(actors, 0) {}

  bool knows(const Epoch& epoch) const { return times_[epoch.actor] >= epoch.time; }
  void join(const VectorClock& other) {
    if (times_.size() < other.times_.size()) times_.resize(other.times_.size(), 0);
    for (std::size_t i = 0; i < other.times_.size(); ++i) times_[i] = std::max(times_[i], other.times_[i]);
  }
  void set(std::uint32_t actor, std::uint32_t time) { times_[actor] = time; }
  Epoch now(std::uint32_t actor) const { return {actor, times_[actor]}; }
  void tick(std::uint32_t actor) { ++times_[actor]; }

 private:
  std::vector<std::uint32_t> times_;
};

}  // namespace treering::ops
