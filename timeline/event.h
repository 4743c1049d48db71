#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "timeline/recorder.h"

namespace treering::timeline {

enum class EventKind : std::uint8_t { span, instant };

/// Text of bounded length, held in place.
template <std::size_t Capacity>
struct InlineText {
  std::uint16_t size;
  char text[Capacity];

  void assign(std::string_view from);
  std::string_view view() const { return {text, size}; }
};

/// Writes `from` into `to`, or, if it is too long, its beginning (not cut inside a UTF-8 sequence), "...#" and a hash
/// of the whole, so that long names which differ stay different. Returns the bytes written. `to` must have room for
/// 20 bytes at least.
std::size_t copy_shortened(std::string_view from, std::span<char> to);

template <std::size_t Capacity>
void InlineText<Capacity>::assign(std::string_view from) {
  size = static_cast<std::uint16_t>(copy_shortened(from, text));
}

/// What the ring holds. An instant has begin == end and no phase.
struct Event {
  Nanoseconds begin;
  Nanoseconds end;
  EventKind kind;
  Track track;
  Phase phase;
  InlineText<200> name;
  InlineText<94> detail;
};

}  // namespace treering::timeline
