#include "topology/read/text_scan.h"

#include <charconv>
#include <cmath>
#include <utility>

namespace treering::topology {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// Length of the escape sequence at the start of `text`: ESC [ parameters letter, or ESC and one character.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  if (text[1] != '[') return 2;
  std::size_t end = 2;
  while (end < text.size() && (text[end] < '@' || text[end] > '~')) ++end;
  return end < text.size() ? end + 1 : end;
}

}  // namespace

std::string clean_text(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const char c = text[0];
    if (c == '\x1b') {
      text.remove_prefix(escape_length(text));
      continue;
    }
    if (c == '\n' || c == '\t' || static_cast<unsigned char>(c) >= ' ') clean += c;
    text.remove_prefix(1);
  }
  return clean;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines = split(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end; (end = text.find(separator)) != std::string_view::npos; text.remove_prefix(end + 1))
    parts.push_back(text.substr(0, end));
  parts.push_back(text);
  return parts;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while (at < line.size()) {
    while (at < line.size() && is_blank(line[at])) ++at;
    const std::size_t start = at;
    while (at < line.size() && !is_blank(line[at])) ++at;
    if (at > start) words.push_back(line.substr(start, at - start));
  }
  return words;
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return is_blank(c) || c == '\n' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<std::int64_t> to_integer(std::string_view text, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  if (value < least || value > most) return std::nullopt;
  return value;
}

std::optional<std::int64_t> to_speed(std::string_view text) {
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (parsed.ec != std::errc()) return std::nullopt;
  const std::string_view unit = trimmed(text.substr(static_cast<std::size_t>(parsed.ptr - text.data())));
  constexpr std::pair<std::string_view, double> units[] = {
      {"", 1}, {"MB/s", 1}, {"GB/s", 1000}, {"Gbit/s", 125}, {"Gb/s", 125}, {"Mbit/s", 0.125}, {"Mb/s", 0.125}};
  for (const auto& [name, factor] : units) {
    if (unit != name) continue;
    const double speed = std::round(value * factor);
    return speed >= 1 && speed <= 1e9 ? std::optional(static_cast<std::int64_t>(speed)) : std::nullopt;
  }
  return std::nullopt;
}

std::string safe_name(std::string_view text, std::string_view otherwise, std::size_t most) {
  std::string name;
  for (const char c : text.substr(0, most))
    if (c > ' ' && c < 127 && c != '#' && c != '=') name += c;
  return name.empty() ? std::string(otherwise) : name;
}

}  // namespace treering::topology
