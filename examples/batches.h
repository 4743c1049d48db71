#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace fashion {

/// A random order of 0 ... count - 1 that depends on nothing but seed and epoch, so that every rank finds the same one
/// without a message (Fisher and Yates; an own loop, because std::shuffle differs between standard libraries).
inline std::vector<std::uint32_t> epoch_order(std::size_t count, std::uint64_t seed, int epoch) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937_64 random(seed + static_cast<std::uint64_t>(epoch) * 0x9E3779B97F4A7C15U);
  for (std::size_t left = count; left > 1; --left) std::swap(order[left - 1], order[random() % left]);
  return order;
}

/// Rank `rank`'s part of `items` when `ranks` share them as equally as can be; the parts join up without gaps.
template <class T>
std::span<T> shard(std::span<T> items, int rank, int ranks) {
  const auto bound = [&](int index) {
    return items.size() * static_cast<std::size_t>(index) / static_cast<std::size_t>(ranks);
  };
  return items.subspan(bound(rank), bound(rank + 1) - bound(rank));
}

}  // namespace fashion
