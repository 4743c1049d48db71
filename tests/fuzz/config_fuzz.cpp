#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "base/config_fields.h"
#include "treering/status.h"

namespace {

using treering::Config;
using treering::ConfigField;
using Variables = std::map<std::string, std::string>;

/// Each line of the input sets one variable: its first byte chooses which, the rest is the value.
Variables variables_of(std::string_view input) {
  const auto fields = treering::config_fields();
  Variables variables;
  while (!input.empty()) {
    const std::string_view line = input.substr(0, input.find('\n'));
    input.remove_prefix(std::min(line.size() + 1, input.size()));
    if (line.empty()) continue;
    const ConfigField& field = fields[static_cast<unsigned char>(line[0]) % fields.size()];
    variables[field.variable] = line.substr(1);
  }
  return variables;
}

Config parse(const Variables& variables) {
  return treering::parse_config([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

}  // namespace

/// Any environment is either refused with an Error or gives a configuration that, written out, is read back the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Config config;
  try {
    config = parse(variables_of({reinterpret_cast<const char*>(data), size}));
  } catch (const treering::Error& error) {
    if (std::string_view(error.what()).find("TREERING_") == std::string_view::npos) std::abort();
    return 0;
  }
  Variables shown;
  for (const ConfigField& field : treering::config_fields()) shown[field.variable] = field.show(config);
  if (treering::describe(parse(shown)) != treering::describe(config)) std::abort();
  return 0;
}
