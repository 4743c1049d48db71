#include "base/record_window.h"

#include <charconv>
#include <string>

#include "treering/status.h"

namespace treering {

namespace {

[[noreturn]] void refuse(std::string_view text) {
  throw Error(StatusCode::invalid_argument,
              "\"" + std::string(text) +
                  "\" is no window; write FROM-TO with FROM below TO, in steps (100-120) or in seconds (10s-25s)");
}

struct Bound {
  std::uint64_t value = 0;
  bool seconds = false;
};

Bound parse_bound(std::string_view part, std::string_view whole) {
  Bound bound;
  bound.seconds = part.ends_with('s');
  if (bound.seconds) part.remove_suffix(1);
  const auto [end, problem] = std::from_chars(part.data(), part.data() + part.size(), bound.value);
  constexpr std::uint64_t most = 1'000'000'000;
  if (problem != std::errc() || end != part.data() + part.size() || bound.value > most) refuse(whole);
  return bound;
}

}  // namespace

RecordWindow parse_record_window(std::string_view text) {
  if (text.empty()) return {};
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) refuse(text);
  const Bound from = parse_bound(text.substr(0, dash), text);
  const Bound to = parse_bound(text.substr(dash + 1), text);
  if (from.seconds != to.seconds || from.value >= to.value) refuse(text);
  return {from.seconds ? RecordWindow::Unit::seconds : RecordWindow::Unit::steps, from.value, to.value};
}

}  // namespace treering
