#include "base/device_list.h"

#include <algorithm>
#include <limits>

#include "base/parse_value.h"
#include "treering/status.h"

namespace treering {

namespace {

[[noreturn]] void refuse(std::string_view text) {
  throw Error(StatusCode::invalid_argument,
              quoted(text) + " is not accepted; accepted: host, host:N, sim:N, sim:N:SEED, cuda, or cuda:LIST like " +
                  "cuda:0,2, with N from 1 to " + std::to_string(most_devices));
}

/// `text` is the whole, for the message.
std::uint64_t number_in(std::string_view digits, std::uint64_t most, std::string_view text) {
  constexpr std::size_t longest = 20;
  if (digits.empty() || digits.size() > longest || digits.find_first_not_of("0123456789") != std::string_view::npos)
    refuse(text);
  try {
    return parse_count(digits, most);
  } catch (const Error&) {
    refuse(text);
  }
}

int count_in(std::string_view digits, std::string_view text) {
  const auto count = static_cast<int>(number_in(digits, most_devices, text));
  if (count < 1) refuse(text);
  return count;
}

/// Ordinals, each once, in the order given.
std::vector<int> ordinals_in(std::string_view rest, std::string_view text) {
  std::vector<int> ordinals;
  for (;;) {
    const std::size_t comma = rest.find(',');
    const auto ordinal = static_cast<int>(number_in(rest.substr(0, comma), most_devices - 1, text));
    if (std::ranges::find(ordinals, ordinal) != ordinals.end()) refuse(text);
    ordinals.push_back(ordinal);
    if (comma == std::string_view::npos) return ordinals;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace

DeviceList parse_devices(std::string_view text) {
  const std::size_t colon = text.find(':');
  const bool alone = colon == std::string_view::npos;
  const std::string_view rest = alone ? std::string_view() : text.substr(colon + 1);
  DeviceList list;
  list.kind = text.substr(0, colon);
  if (list.kind == "host") {
    if (!alone) list.count = count_in(rest, text);
  } else if (list.kind == "sim" && !alone) {
    const std::size_t second = rest.find(':');
    list.count = count_in(rest.substr(0, second), text);
    if (second != std::string_view::npos)
      list.seed = number_in(rest.substr(second + 1), std::numeric_limits<std::uint64_t>::max(), text);
  } else if (list.kind == "cuda") {
    if (!alone) list.ordinals = ordinals_in(rest, text);
    list.count = static_cast<int>(list.ordinals.size());
  } else {
    refuse(text);
  }
  return list;
}

}  // namespace treering
