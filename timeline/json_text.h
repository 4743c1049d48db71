#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"

namespace treering::timeline {

/// Appends `text` as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD. At most six bytes for each
/// one of `text`, and the quotes.
void append_quoted(std::string& out, std::string_view text);

/// Appends a time that is not negative in microseconds, with all three digits of the nanoseconds.
void append_microseconds(std::string& out, Nanoseconds time);

}  // namespace treering::timeline
