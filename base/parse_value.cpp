#include "base/parse_value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

#include "treering/status.h"

namespace treering {

namespace {

[[noreturn]] void refuse(std::string_view text, const std::string& accepted) {
  throw Error(StatusCode::invalid_argument, quoted(text) + " is not accepted; accepted: " + accepted);
}

/// Digits and nothing else, not even a sign.
std::optional<std::uint64_t> digits(std::string_view text) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc() || stop != end) return std::nullopt;
  return value;
}

char lower(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter; }

struct Unit {
  char letter;
  int shift;
};
constexpr std::array<Unit, 3> units{{{'G', 30}, {'M', 20}, {'K', 10}}};

}  // namespace

std::uint64_t parse_bytes(std::string_view text) {
  std::string_view number = text;
  int shift = 0;
  for (const Unit& unit : units)
    if (!text.empty() && lower(text.back()) == lower(unit.letter)) {
      shift = unit.shift;
      number.remove_suffix(1);
      break;
    }
  const auto value = digits(number);
  if (!value || *value > max_bytes_value >> shift)
    refuse(text, "a number of bytes up to " + bytes_text(max_bytes_value) +
                     ", with or without one of the suffixes K, M, G (powers of 1024), like 256K");
  return *value << shift;
}

std::uint64_t parse_count(std::string_view text, std::uint64_t max) {
  const auto value = digits(text);
  if (!value || *value > max) refuse(text, "a whole number from 0 to " + std::to_string(max) + ", without a unit");
  return *value;
}

bool parse_bool(std::string_view text) {
  std::string word(text);
  std::ranges::transform(word, word.begin(), lower);
  for (const char* yes : {"1", "true", "yes", "on"})
    if (word == yes) return true;
  for (const char* no : {"0", "false", "no", "off"})
    if (word == no) return false;
  refuse(text, "1, true, yes, on or 0, false, no, off");
}

std::vector<int> parse_node_map(std::string_view text) {
  std::vector<int> map;
  if (text.empty()) return map;
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    const auto node = digits(rest.substr(0, comma));
    if (!node || *node > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
      refuse(text, "the node number of each rank, in rank order, separated by commas and without blanks, like 0,0,1,1");
    map.push_back(static_cast<int>(*node));
    if (comma == std::string_view::npos) return map;
    rest.remove_prefix(comma + 1);
  }
}

std::string bytes_text(std::uint64_t bytes) {
  for (const Unit& unit : units)
    if (bytes != 0 && bytes % (std::uint64_t{1} << unit.shift) == 0)
      return std::to_string(bytes >> unit.shift) + unit.letter;
  return std::to_string(bytes);
}

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 64;
  std::string out = "\"";
  for (const char letter : text.substr(0, longest)) out += letter >= ' ' && letter <= '~' ? letter : '?';
  if (text.size() > longest) out += "...";
  return out += '"';
}

}  // namespace treering
