#include "bench/report.h"

#include <fmt/core.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace bench {
namespace {

std::string floor_text(const Row& row) {
  if (!row.floor) return "";
  const std::string bound = row.floor->kind == Floor::Kind::ratio_at_least
                                ? fmt::format(">= {:.2f}x", row.floor->bound)
                                : fmt::format("<= {:g} {}", row.floor->bound, row.unit);
  return bound + (*row.reached() ? "  ok" : "  MISSED");
}

}  // namespace

std::optional<bool> Row::reached() const {
  if (!floor) return std::nullopt;
  if (floor->kind == Floor::Kind::value_at_most) return median <= floor->bound;
  return ratio && *ratio >= floor->bound;
}

std::string table_head() {
  return fmt::format("{:<14}{:<30}{:>12}{:>12}{:>12} {:<6}{:>8}  {}", "work", "by", "median", "p10", "p90", "unit",
                     "ratio", "must reach");
}

std::string table_line(const Row& row) {
  const std::string ratio = row.ratio ? fmt::format("{:.2f}x", *row.ratio) : "";
  const std::string wrong = row.wrong > 0 ? fmt::format("  {} WRONG ELEMENTS", row.wrong) : "";
  return fmt::format("{:<14}{:<30}{:>12.4g}{:>12.4g}{:>12.4g} {:<6}{:>8}  {}{}", row.work, row.contestant, row.median,
                     row.p10, row.p90, row.unit, ratio, floor_text(row), wrong);
}

std::string others_line(double share) {
  if (share <= 0.05) return "";
  return fmt::format("  (other jobs used {:.0f} % of the CPUs meanwhile: do not trust these lines)\n", 100 * share);
}

void write_json(const std::string& path, const Setting& setting, const std::vector<Row>& rows) {
  nlohmann::json lines = nlohmann::json::array();
  for (const Row& row : rows) {
    nlohmann::json line = {{"work", row.work}, {"by", row.contestant}, {"unit", row.unit},   {"median", row.median},
                           {"p10", row.p10},   {"p90", row.p90},       {"wrong", row.wrong}, {"others", row.others}};
    if (row.ratio) line["ratio"] = *row.ratio;
    if (row.floor) {
      line[row.floor->kind == Floor::Kind::ratio_at_least ? "ratio_at_least" : "value_at_most"] = row.floor->bound;
      line["reached"] = *row.reached();
    }
    lines.push_back(std::move(line));
  }
  const nlohmann::json all = {{"ranks", setting.ranks},
                              {"nodes", setting.nodes},
                              {"cores", setting.cores},
                              {"rounds", setting.rounds},
                              {"rows", lines}};
  std::ofstream file(path);
  file << all.dump(2) << '\n';
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path);
}

}  // namespace bench
