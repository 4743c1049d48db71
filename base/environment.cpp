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
  }
  return unknown_variables(names);
}

}  // namespace treering
