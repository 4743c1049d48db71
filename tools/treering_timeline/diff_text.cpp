#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tools/treering_timeline/diff.h"
#include "tools/treering_timeline/words.h"

namespace treering::tools {
namespace {

constexpr std::size_t most_shown = 10;

std::string value_words(double value, const std::string& unit) {
  if (unit == "ms") return time_words(static_cast<Nanoseconds>(std::llround(value * 1e6)));
  if (unit == "bytes/s") return rate_words(value);
  if (unit == "bytes") return byte_words(static_cast<std::uint64_t>(value));
  return fmt::format("{:.0f}", value);
}

std::string part_words(const Change& change) {
  if (change.before == 0 || change.after == change.before) return "";
  return fmt::format("{:+.0f} %", 100 * (change.after / change.before - 1));
}

void add_lines(std::string& text, const std::vector<Change>& changes, bool names) {
  for (std::size_t at = 0; at < changes.size() && at < most_shown + (names ? 0 : changes.size()); ++at) {
    const Change& change = changes[at];
    fmt::format_to(std::back_inserter(text), "  {:>12} -> {:>12} {:>9}  {}\n", value_words(change.before, change.unit),
                   value_words(change.after, change.unit), part_words(change),
                   names ? name_words(change.what) : change.what);
  }
}

void add_names(std::string& text, const char* title, const std::vector<std::string>& names) {
  if (names.empty()) return;
  fmt::format_to(std::back_inserter(text), "\n{}: {}", title, names.size());
  for (std::size_t at = 0; at < names.size() && at < most_shown; ++at)
    text += (at == 0 ? ", e.g. " : ", ") + name_words(names[at]);
  text += '\n';
}

nlohmann::ordered_json json_of(const std::vector<Change>& changes) {
  auto list = nlohmann::ordered_json::array();
  for (const Change& change : changes)
    list.push_back({{"what", change.what}, {"unit", change.unit}, {"before", change.before}, {"after", change.after}});
  return list;
}

}  // namespace

std::string difference_text(const Difference& difference) {
  std::string text = "      before           after    change\n";
  add_lines(text, difference.figures, false);
  text += "\nLost in a step, the largest change first\n";
  add_lines(text, difference.causes, false);
  text += "\nWaited for the others, in one operation, the largest change first\n";
  add_lines(text, difference.tensors, true);
  add_names(text, "Tensors that only the first run has", difference.only_before);
  add_names(text, "Tensors that only the second run has", difference.only_after);
  return text;
}

std::string difference_json(const Difference& difference) {
  const nlohmann::ordered_json json{{"figures", json_of(difference.figures)},
                                    {"causes", json_of(difference.causes)},
                                    {"tensors", json_of(difference.tensors)},
                                    {"only_before", difference.only_before},
                                    {"only_after", difference.only_after}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

}  // namespace treering::tools
