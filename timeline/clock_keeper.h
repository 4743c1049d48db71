#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "base/bytes.h"
#include "timeline/clock_estimate.h"

namespace treering::timeline {

/// Where a rank stands among the clocks of a job. Ranks of one machine share a clock.
struct ClockPlace {
  bool same_as_root = true;    ///< rank 0's clock is mine: nothing to find out
  bool same_as_parent = true;  ///< my parent's in the tree of control vertices
};

/// Keeps one rank's estimate of rank 0's clock by asking its parent, who asks its own. Asks only while it is wanted, by
/// its own timeline or by a child; then often at first and once a second later. A state machine: times and messages in,
/// messages out.
class ClockKeeper {
 public:
  explicit ClockKeeper(const ClockPlace& place) : place_(place) {}

  /// The first byte of every message of keepers; no other control message begins with it.
  static constexpr std::byte mark{0xc7};

  /// `now`: the reader's clock when it arrived. The answer, if there must be one, goes back to the sender.
  /// Messages that make no sense are ignored.
  std::optional<Bytes> receive(std::span<const std::byte> message, Nanoseconds now, Nanoseconds now_sending);
  /// A question for the parent, if one is due.
  std::optional<Bytes> ask(Nanoseconds now, bool wanted);
  /// When `ask` will have one; none while nobody wants to know.
  std::optional<Nanoseconds> next_due(bool wanted) const;

  /// The reference at `now`, as far as it is known.
  std::optional<ClockPoint> at(Nanoseconds now) const;
  /// True once for each estimate that is worth recording.
  bool take_news() { return std::exchange(news_, false); }

 private:
  enum class Message : std::uint8_t { question = 1, answer = 2, no_answer = 3 };

  Bytes answer(ByteReader& question, Nanoseconds now, Nanoseconds now_sending);
  void take_answer(ByteReader& reader, Nanoseconds now);
  bool asked_by_child(Nanoseconds now) const { return now < child_until_; }

  static constexpr Nanoseconds quick = 5'000'000;
  static constexpr Nanoseconds slow = 1'000'000'000;
  static constexpr int quick_samples = 16;
  static constexpr Nanoseconds child_patience = 3'000'000'000;
  static constexpr Nanoseconds answer_patience = 2'000'000'000;

  const ClockPlace place_;
  ClockEstimate estimate_;
  bool active_ = false;
  bool waiting_ = false;  ///< for an answer
  bool news_ = false;
  int samples_ = 0;  ///< since it became active
  Nanoseconds asked_ = 0;
  Nanoseconds due_ = 0;
  Nanoseconds child_until_ = std::numeric_limits<Nanoseconds>::min();
};

}  // namespace treering::timeline
