#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace treering::controller {

/// Which slots of a vertex have done something; no allocation for up to 64 of them.
class SlotSet {
 public:
  bool contains(std::size_t slot) const { return slot < 64 ? (low_ >> slot & 1) != 0 : high_contains(slot); }
  std::size_t count() const { return count_; }
  bool empty() const { return count_ == 0; }

  /// False if it was there.
  bool insert(std::size_t slot) {
    if (contains(slot)) return false;
    word(slot) |= std::uint64_t{1} << slot % 64;
    ++count_;
    return true;
  }

  void fill(std::size_t slots) {
    for (std::size_t slot = 0; slot < slots; ++slot) insert(slot);
  }

  void clear() {
    low_ = 0;
    count_ = 0;
    high_.clear();
  }

 private:
  bool high_contains(std::size_t slot) const {
    return slot / 64 <= high_.size() && (high_[slot / 64 - 1] >> slot % 64 & 1) != 0;
  }
  std::uint64_t& word(std::size_t slot) {
    if (slot < 64) return low_;
    if (high_.size() < slot / 64) high_.resize(slot / 64);
    return high_[slot / 64 - 1];
  }

  std::uint64_t low_ = 0;
  std::size_t count_ = 0;
  std::vector<std::uint64_t> high_;
};

}  // namespace treering::controller
