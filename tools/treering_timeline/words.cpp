#include "tools/treering_timeline/words.h"

#include <fmt/format.h>

#include <cmath>

#include "tools/treering_timeline/utf8.h"

namespace treering::tools {
namespace {

std::string three_digits(double value) {
  const double size = std::abs(value);
  return fmt::format("{:.{}f}", value, size >= 99.95 || value == 0 ? 0 : size >= 9.995 ? 1 : 2);
}

}  // namespace

double milliseconds(Nanoseconds time) { return static_cast<double>(time) / 1e6; }

std::string time_words(Nanoseconds time) {
  const auto value = static_cast<double>(time);
  if (std::abs(value) >= 1e9) return three_digits(value / 1e9) + " s";
  if (std::abs(value) >= 1e6) return three_digits(value / 1e6) + " ms";
  return three_digits(value / 1e3) + " us";
}

std::string byte_words(std::uint64_t bytes) {
  if (bytes < 1024) return std::to_string(bytes) + " B";
  const char* unit = "KiB";
  double value = static_cast<double>(bytes) / 1024;
  for (const char* larger : {"MiB", "GiB", "TiB"}) {
    if (value < 1024) break;
    value /= 1024;
    unit = larger;
  }
  return three_digits(value) + ' ' + unit;
}

std::string rate_words(double bytes_per_second) {
  if (bytes_per_second >= 1e9) return three_digits(bytes_per_second / 1e9) + " GB/s";
  if (bytes_per_second >= 1e6) return three_digits(bytes_per_second / 1e6) + " MB/s";
  return three_digits(bytes_per_second / 1e3) + " kB/s";
}

std::string name_words(std::string_view name) {
  constexpr std::size_t most = 60;
  std::string clean = printable_utf8(name);
  if (clean.size() > most) {
    std::size_t head = most / 2;
    std::size_t tail = clean.size() - most / 2;
    while (head > 0 && is_continuation(clean[head])) --head;
    while (tail < clean.size() && is_continuation(clean[tail])) ++tail;
    clean = clean.substr(0, head) + "..." + clean.substr(tail);
  }
  return '\'' + clean + '\'';
}

}  // namespace treering::tools
