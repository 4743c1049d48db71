#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace treering::tools {

/// "4.2 ms", "310 us", "1.5 s": three digits that matter.
std::string time_words(Nanoseconds time);

/// "12.5 MiB".
std::string byte_words(std::uint64_t bytes);

/// "1.9 GB/s".
std::string rate_words(double bytes_per_second);

/// A name for people: valid UTF-8 without control characters, in quotes, cut in the middle after some 60 characters.
std::string name_words(std::string_view name);

double milliseconds(Nanoseconds time);

}  // namespace treering::tools
