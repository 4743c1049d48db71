#pragma once

#include <array>
#include <cstddef>

namespace treering::transport {

/// 128 random bits that only the ranks of the job know: names for sockets, and proof of who knocks.
using Secret = std::array<std::byte, 16>;

Secret make_secret();

}  // namespace treering::transport
