#include "base/environment.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "base/config_fields.h"

namespace treering {

Config Config::from_environment() {
  return parse_config([](const char* variable) { return std::getenv(variable); });
}

std::vector<std::string> unknown_variables() {
  std::vector<std::string> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    names.emplace_back(text.substr(0, text.find('=')));
    if (names.back() == seat_variable) names.pop_back();
  }
  return unknown_variables(names);
}

std::string inherited_seat() {
  const char* const text = std::getenv(seat_variable);
  return text == nullptr ? "" : text;
}

}  // namespace treering
