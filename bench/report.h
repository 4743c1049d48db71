#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// What must be reached: a ratio or a value.
struct Floor {
  enum class Kind { ratio_at_least, value_at_most };
  Kind kind;
  double bound;
};

/// One line of the table: one contestant of one case.
struct Row {
  std::string work;        ///< name of the case
  std::string contestant;  ///< what did it, e.g. "treering, engine memory"
  std::string unit;        ///< of the values: "ms", "us" or "cores"
  double median = 0;
  double p10 = 0;
  double p90 = 0;
  std::optional<double> ratio;  ///< peer's median / own
  std::optional<Floor> floor;
  std::size_t wrong = 0;  ///< elements found wrong: must be 0
  double others = 0;      ///< share of the machine's CPU time that other jobs took meanwhile, 0 ... 1

  std::optional<bool> reached() const;
};

/// Where the figures come from.
struct Setting {
  int ranks = 0;
  int nodes = 0;
  int cores = 0;
  int rounds = 0;
};

std::string table_head();
std::string table_line(const Row& row);

/// A warning if other jobs took so much CPU time that the figures are worth little; else empty.
std::string others_line(double share);

/// Throws std::runtime_error if the file cannot be written.
void write_json(const std::string& path, const Setting& setting, const std::vector<Row>& rows);

}  // namespace bench
