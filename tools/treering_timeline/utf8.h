#pragma once

#include <string>
#include <string_view>

namespace treering::tools {

constexpr bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

/// Bytes that are no UTF-8 become U+FFFD, one for each.
std::string valid_utf8(std::string_view text);

/// ... and control characters become spaces, so that a terminal obeys none.
std::string printable_utf8(std::string_view text);

}  // namespace treering::tools
