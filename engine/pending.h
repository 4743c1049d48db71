#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "controller/controller.h"
#include "engine/operation.h"

namespace treering {

/// A task between enqueue and completion, with what is still to be done for it.
struct PendingTask {
  std::shared_ptr<Operation> operation;
  std::uint64_t bytes_left = 0;  ///< of its tensors, not yet executed; an allgather counts as one byte
  std::uint64_t number = 0;      ///< counts this rank's operations from 1
  Nanoseconds posted = 0;        ///< handed to the controller
  Nanoseconds agreed = 0;        ///< its first piece came back in a round

  const Task& task() const { return operation->task; }
};

/// Pending tasks by token, found without hashing: a token is a slot and how often that slot has been used. Engine
/// thread only.
class PendingTable {
 public:
  controller::Token add(PendingTask&& pending) {
    if (free_.empty()) {
      free_.push_back(slots_.size());
      slots_.emplace_back();
    }
    const std::size_t index = free_.back();
    free_.pop_back();
    Slot& slot = slots_[index];
    slot.pending = std::move(pending);
    slot.pending.number = ++added_;
    slot.used = true;
    return (++slot.generation << slot_bits) | index;
  }

  /// Null for a token that is unknown or done.
  PendingTask* find(controller::Token token) {
    const std::size_t index = token & slot_mask;
    if (index >= slots_.size()) return nullptr;
    Slot& slot = slots_[index];
    return slot.used && slot.generation == token >> slot_bits ? &slot.pending : nullptr;
  }

  /// `token` must be in the table.
  PendingTask take(controller::Token token) {
    Slot& slot = slots_[token & slot_mask];
    slot.used = false;
    free_.push_back(token & slot_mask);
    return std::exchange(slot.pending, {});
  }

  std::size_t size() const { return slots_.size() - free_.size(); }

  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t index = 0; index < slots_.size(); ++index)
      if (slots_[index].used) visit((slots_[index].generation << slot_bits) | index, slots_[index].pending);
  }

 private:
  static constexpr int slot_bits = 32;
  static constexpr controller::Token slot_mask = (controller::Token{1} << slot_bits) - 1;

  struct Slot {
    PendingTask pending;
    std::uint64_t generation = 0;
    bool used = false;
  };

  std::deque<Slot> slots_;  // never moves its elements
  std::vector<std::size_t> free_;
  std::uint64_t added_ = 0;
};

}  // namespace treering
