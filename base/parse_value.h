#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace treering {

/// Strict readers of configuration values: the whole text must be one value, nothing is guessed. Each throws
/// Error (invalid_argument) that quotes the text and says what is accepted.

/// Decimal digits, then optionally K, M or G (either case) for a power of 1024; at most `max_bytes_value`.
std::uint64_t parse_bytes(std::string_view text);
inline constexpr std::uint64_t max_bytes_value = std::uint64_t{1} << 46;

/// Decimal digits only; at most `max`.
std::uint64_t parse_count(std::string_view text, std::uint64_t max);

/// 1/0, true/false, yes/no, on/off, in any case.
bool parse_bool(std::string_view text);

/// Node of each rank, e.g. "0,0,1,1"; empty text is an empty map.
std::vector<int> parse_node_map(std::string_view text);

/// The shortest text that `parse_bytes` reads back as `bytes`: 1024 * 1024 is "1M".
std::string bytes_text(std::uint64_t bytes);

/// For messages: in double quotes, cut after some 64 characters, anything but printable ASCII shown as "?".
std::string quoted(std::string_view text);

}  // namespace treering
