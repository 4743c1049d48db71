#pragma once

#include <string>
#include <string_view>

namespace treering {

/// What a process drives: so many devices of one kind. On "host" they share the process's memory.
struct DeviceList {
  std::string kind = "host";
  int count = 1;
};

inline constexpr int most_devices = 64;

/// "host" or "host:2". Throws Error (invalid_argument) that quotes the text and says what is accepted.
DeviceList parse_devices(std::string_view text);

}  // namespace treering
