#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace treering::topology {

/// Without ANSI colour and underline codes, carriage returns, byte order mark and other control characters but tabs and
/// line ends.
std::string clean_text(std::string_view text);

std::vector<std::string_view> lines_of(std::string_view text);
std::vector<std::string_view> words_of(std::string_view line);  ///< split at blanks and tabs
std::vector<std::string_view> split(std::string_view text, char separator);
std::string_view trimmed(std::string_view text);

/// A whole decimal number that fits the bounds, and nothing else.
std::optional<std::int64_t> to_integer(std::string_view text,
                                       std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                                       std::int64_t most = std::numeric_limits<std::int64_t>::max());

/// "25000", "25000MB/s", "25GB/s", "12.5 GB/s" or "200Gbit/s" in MB/s; nullopt for anything else, 0 included.
std::optional<std::int64_t> to_speed(std::string_view text);

/// A name of printable characters without blanks, # and =, which Treering's own format could not write, cut after
/// `most` characters; `otherwise` if nothing is left.
std::string safe_name(std::string_view text, std::string_view otherwise, std::size_t most = 64);

}  // namespace treering::topology
