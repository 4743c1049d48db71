#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "base/config_fields.h"

using namespace treering;

namespace {

/// The row of the page's table that begins with the field's name; empty if there is none.
std::string row_of(const std::string& page, const std::string& field) {
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("| `" + field + "` |")) return line;
  return "";
}

}  // namespace

TEST_CASE("docs/tuning.md: a row for every knob, with its variable and default") {
  std::ifstream file(TREERING_TUNING_PAGE);
  REQUIRE(file.good());
  std::stringstream page;
  page << file.rdbuf();
  for (const ConfigField& field : config_fields()) {
    CAPTURE(field.name);
    const std::string shown = field.show(Config{});
    const std::string row = row_of(page.str(), field.name);
    CHECK(row.starts_with(std::string("| `") + field.name + "` | `" + field.variable + "` | " +
                          (shown.empty() ? "empty" : "`" + shown + "`") + " |"));
  }
}
