#include "base/device_list.h"

#include "base/parse_value.h"
#include "treering/status.h"

namespace treering {

namespace {

[[noreturn]] void refuse(std::string_view text) {
  throw Error(
      StatusCode::invalid_argument,
      quoted(text) + " is not accepted; accepted: host, or host:N with N from 1 to " + std::to_string(most_devices));
}

}  // namespace

DeviceList parse_devices(std::string_view text) {
  const std::size_t colon = text.find(':');
  DeviceList list;
  list.kind = text.substr(0, colon);
  if (list.kind != "host") refuse(text);
  if (colon == std::string_view::npos) return list;
  const std::string_view digits = text.substr(colon + 1);
  if (digits.empty() || digits.size() > 3 || digits.find_first_not_of("0123456789") != std::string_view::npos)
    refuse(text);
  list.count = static_cast<int>(parse_count(digits, 999));
  if (list.count < 1 || list.count > most_devices) refuse(text);
  return list;
}

}  // namespace treering
