#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/tunables.h"
#include "controller/messages.h"

namespace treering::controller {

/// What is ready everywhere and not yet in a round; decides what the next round holds. No timer: an idle network takes
/// what there is, a busy one lets it gather until the bytes under way fall below the window.
///
/// Order is by priority (higher first), then by readiness. An operation that may be divided is handed out in pieces, so
/// something more urgent can go between. While the window is full, up to `batch_limit` bytes of operations that small
/// may still go beside what is under way, so that their latency does not suffer.
class RoundCutter {
 public:
  explicit RoundCutter(const Tunables& tunables);

  void add(DefinitionId id, std::uint64_t bytes, std::int32_t priority, bool divisible);
  void executed(std::uint64_t bytes);
  std::optional<RoundEntry> next();

  bool empty() const { return small_.empty() && bulk_.empty(); }
  std::size_t size() const { return small_.size() + bulk_.size(); }
  std::uint64_t under_way() const { return under_way_; }

 private:
  struct Ready {
    DefinitionId id;
    std::int32_t priority;
    std::uint64_t order;
    std::uint64_t begin;
    std::uint64_t bytes;
    bool divisible;
  };
  static bool after(const Ready& left, const Ready& right);
  static std::uint64_t piece_of(const Ready& ready, std::uint64_t piece_limit);
  void take_top(std::vector<Ready>& heap, RoundEntry& round);
  RoundEntry cut_into_window();
  std::optional<RoundEntry> cut_beside();

  std::uint64_t piece_limit_;
  std::uint64_t window_;
  std::uint64_t small_limit_;
  std::vector<Ready> small_;  // heaps, most urgent on top
  std::vector<Ready> bulk_;
  std::uint64_t orders_ = 0;
  std::uint64_t under_way_ = 0;
  std::uint64_t beside_ = 0;  // of these, small ones that went beside; taken to finish first
};

}  // namespace treering::controller
