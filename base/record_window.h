#pragma once

#include <cstdint>
#include <string_view>

namespace treering {

/// Which part of a recording is kept: from `from` up to `to`, in seconds since it began or in steps; nothing else.
struct RecordWindow {
  enum class Unit : std::uint8_t { everything, seconds, steps };
  Unit unit = Unit::everything;
  std::uint64_t from = 0;
  std::uint64_t to = 0;

  bool operator==(const RecordWindow&) const = default;
};

/// "10s-25s" or "100-120" (steps); empty is everything. Throws Error (invalid_argument) that says what is accepted.
RecordWindow parse_record_window(std::string_view text);

}  // namespace treering
