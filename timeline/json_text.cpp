#include "timeline/json_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace treering::timeline {

namespace {

bool is_plain(char letter) { return letter >= ' ' && letter <= '~' && letter != '"' && letter != '\\'; }

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  if (std::ranges::all_of(text, is_plain)) {
    out += '"';
    out += text;
    out += '"';
    return;
  }
  out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void append_microseconds(std::string& out, Nanoseconds time) {
  out += std::to_string(time / 1000);
  const auto rest = static_cast<int>(time % 1000);
  out += {'.', static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10),
          static_cast<char>('0' + rest % 10)};
}

}  // namespace treering::timeline
