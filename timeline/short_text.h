#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace treering::timeline {

/// Writes `from` into `to`, or, if it is too long, its beginning (not cut inside a UTF-8 sequence), "...#" and a hash
/// of the whole, so that long names which differ stay different. Returns the bytes written. `to` must have room for
/// 20 bytes at least.
std::size_t copy_shortened(std::string_view from, std::span<char> to);

}  // namespace treering::timeline
