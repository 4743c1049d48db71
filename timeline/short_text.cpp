#include "timeline/short_text.h"

#include <algorithm>
#include <cstdint>

namespace treering::timeline {

namespace {

/// FNV-1a, 64 bits (Fowler, Noll, Vo).
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  return hash;
}

bool continues_sequence(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

}  // namespace

std::size_t copy_shortened(std::string_view from, std::span<char> to) {
  if (from.size() <= to.size()) {
    std::copy(from.begin(), from.end(), to.begin());
    return from.size();
  }
  constexpr std::string_view marker = "...#";
  constexpr std::size_t hash_digits = 16;
  std::size_t kept = to.size() - marker.size() - hash_digits;
  for (int back = 0; back < 3 && kept > 0 && continues_sequence(from[kept]); ++back) --kept;
  char* out = std::copy_n(from.data(), kept, to.data());
  out = std::copy(marker.begin(), marker.end(), out);
  const std::uint64_t hash = hash_of(from);
  for (std::size_t digit = 0; digit < hash_digits; ++digit)
    *out++ = "0123456789abcdef"[(hash >> (60 - 4 * digit)) & 15];
  return static_cast<std::size_t>(out - to.data());
}

}  // namespace treering::timeline
