#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "treering/config.h"

namespace treering {

/// One knob: how its text becomes a value and back. `show` writes what `read` accepts.
struct ConfigField {
  const char* name;      ///< of the field in Config
  const char* variable;  ///< that sets it
  void (*read)(Config& config, std::string_view text);
  std::string (*show)(const Config& config);
};

/// Every field of Config, in the order of its declaration.
std::span<const ConfigField> config_fields();

/// Gives the value of a variable, or nullptr if it is not set.
using Lookup = std::function<const char*(const char* variable)>;

/// Defaults overridden by what `lookup` finds, then checked as a whole (see check_config). Throws Error
/// (invalid_argument) naming the variable, its value and what is accepted.
Config parse_config(const Lookup& lookup);

/// One line per field, "name = value (VARIABLE)", in the syntax that the variable accepts.
std::string describe(const Config& config);

/// One line for each name that begins with TREERING_ but sets nothing, with the nearest variable that does.
std::vector<std::string> unknown_variables(std::span<const std::string> names);

}  // namespace treering
