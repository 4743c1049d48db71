#include "topology/read/smi_table.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/parse_value.h"
#include "topology/read/text_scan.h"

namespace treering::topology {
namespace {

constexpr std::size_t most_devices = 128;
constexpr int most_links = 64;

enum class Column { device, cores, numa, ignored };

struct Title {
  Column column = Column::device;
  std::string name;
};

int gpu_number(std::string_view word) {
  if (!word.starts_with("GPU")) return -1;
  return static_cast<int>(to_integer(word.substr(3), 0, 1 << 16).value_or(-1));
}

/// nullopt for what is no entry of the matrix; a cell that is not known for "?" and "N/A".
std::optional<SmiCell> cell_of(std::string_view word) {
  if (word == "X") return SmiCell{true, 0, PathClass::self};
  if (word == "?" || word == "N/A") return SmiCell{};
  if (word.starts_with("NV")) {
    const auto links = to_integer(word.substr(2), 1, most_links);
    return links ? std::optional(SmiCell{true, static_cast<int>(*links), PathClass::direct}) : std::nullopt;
  }
  if (word == "SOC") return SmiCell{true, 0, PathClass::sys};  // what old drivers called SYS
  for (const PathClass path : {PathClass::pix, PathClass::pxb, PathClass::phb, PathClass::node, PathClass::sys})
    if (word == name_of(path)) return SmiCell{true, 0, path};
  return std::nullopt;
}

/// Titles may hold blanks ("CPU Affinity") or underscores for them.
std::vector<Title> titles_of(std::string_view line) {
  std::vector<Title> titles;
  const auto words = words_of(line);
  const auto is = [&](std::size_t i, std::string_view word) { return i < words.size() && words[i] == word; };
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is(i, "CPU_Affinity") || is(i, "NUMA_Affinity")) {
      titles.push_back({words[i][0] == 'C' ? Column::cores : Column::numa, ""});
    } else if ((is(i, "CPU") || is(i, "NUMA")) && is(i + 1, "Affinity")) {
      titles.push_back({words[i][0] == 'C' ? Column::cores : Column::numa, ""});
      ++i;
    } else if (is(i, "GPU") && is(i + 1, "NUMA") && is(i + 2, "ID")) {
      titles.push_back({Column::ignored, "GPU_NUMA_ID"});
      i += 2;
    } else if (is(i, "GPU_NUMA_ID")) {
      titles.push_back({Column::ignored, "GPU_NUMA_ID"});
    } else {
      titles.push_back({Column::device, safe_name(words[i], "?")});
    }
  }
  return titles;
}

bool is_title_line(const std::vector<std::string_view>& words) {
  return !words.empty() && gpu_number(words[0]) >= 0 &&
         std::none_of(words.begin(), words.end(), [](std::string_view word) {
           return word == "X" || (word.size() > 1 && cell_of(word).has_value() && word != "N/A");
         });
}

class TableParser {
 public:
  TableParser(std::string_view text, ReadContext& context) : context_(context) {
    std::size_t at = 0;
    const auto lines = lines_of(text);
    while (at < lines.size() && !is_title_line(words_of(lines[at]))) ++at;
    if (at == lines.size()) throw Unreadable("nvidia-smi's matrix has no line of titles");
    titles_ = titles_of(lines[at]);
    for (++at; at < lines.size(); ++at) {
      const auto words = words_of(lines[at]);
      if (is_title_line(words) && std::ssize(words) > 1) break;  // another table, as of peer access
      if (!words.empty()) rows_.push_back(words);
    }
  }

  SmiTable run() {
    choose_columns();
    SmiTable table;
    for (const Title& title : titles_)
      if (title.column == Column::device) table.devices.push_back({title.name, gpu_number(title.name), "", -1});
    if (table.devices.size() > most_devices) throw Unreadable("more than " + std::to_string(most_devices) + " columns");
    check_names(table);
    table.cells.assign(table.devices.size() * table.devices.size(), {});
    std::size_t used = 0;
    for (const auto& row : rows_) used += take_row(row, table);
    if (used == 0) throw Unreadable("nvidia-smi's matrix has titles but no row of a GPU");
    mirror(table);
    return table;
  }

 private:
  /// A column is one of devices if it is named like a GPU or if its cells in the rows of GPUs are entries of the
  /// matrix.
  void choose_columns() {
    for (std::size_t column = 0; column < titles_.size(); ++column) {
      Title& title = titles_[column];
      if (title.column != Column::device || gpu_number(title.name) >= 0) continue;
      const bool foreign =
          title.name.find("CPU") != std::string::npos || std::any_of(rows_.begin(), rows_.end(), [&](const auto& row) {
            return gpu_number(row[0]) >= 0 && column + 1 < row.size() && !cell_of(row[column + 1]);
          });
      if (!foreign) continue;
      title.column = Column::ignored;
      context_.warn("column " + quoted(title.name) + " is not one that nvidia-smi prints; it is ignored");
    }
  }

  static void check_names(const SmiTable& table) {
    std::set<std::string> names;
    for (const SmiDevice& device : table.devices)
      if (!names.insert(device.name).second)
        throw Unreadable("two columns of nvidia-smi's matrix are called " + device.name);
  }

  /// 1 if the row is one of a GPU. Legends and remarks name no device and are passed over.
  std::size_t take_row(const std::vector<std::string_view>& words, SmiTable& table) {
    const auto named = [&](const SmiDevice& device) { return device.name == words[0]; };
    const auto found = std::find_if(table.devices.begin(), table.devices.end(), named);
    if (found == table.devices.end()) return 0;
    if (words.size() == 1 || !seen_.insert(found->name).second) return 0;
    const auto row = static_cast<std::size_t>(found - table.devices.begin());
    std::size_t device = 0;
    for (std::size_t column = 0; column < titles_.size() && column + 1 < words.size(); ++column) {
      const std::string_view word = words[column + 1];
      if (titles_[column].column == Column::device)
        take_cell(word, row, device++, table);
      else if (titles_[column].column == Column::cores && word != "N/A")
        found->cores = safe_name(word, "");
      else if (titles_[column].column == Column::numa)
        take_numa(word, *found);
    }
    return found->gpu >= 0 ? 1 : 0;
  }

  void take_cell(std::string_view word, std::size_t row, std::size_t column, SmiTable& table) {
    const auto cell = cell_of(word);
    if (cell)
      table.at(row, column) = *cell;
    else
      context_.warn("cannot read " + quoted(word) + " between " + table.devices[row].name + " and " +
                    table.devices[column].name);
  }

  /// "0", or ranges such as "0-1", of which the first counts.
  static void take_numa(std::string_view word, SmiDevice& device) {
    const std::size_t end = word.find_first_not_of("0123456789");
    device.numa = static_cast<int>(to_integer(word.substr(0, end), 0, 1 << 16).value_or(-1));
  }

  void mirror(SmiTable& table) {
    const std::size_t n = table.devices.size();
    std::size_t missing = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        SmiCell &one = table.at(i, j), &other = table.at(j, i);
        if (!one.known) one = other;
        if (!other.known) other = one;
        const bool both_gpus = table.devices[i].gpu >= 0 && table.devices[j].gpu >= 0;
        if (!one.known && both_gpus) ++missing;
        if (one == other) continue;
        context_.warn(table.devices[i].name + " and " + table.devices[j].name +
                      " disagree about the path between them; the worse is taken");
        const bool worse = one.path != other.path ? one.path > other.path : one.links < other.links;
        (worse ? other : one) = worse ? one : other;
      }
    }
    if (missing > 0)
      context_.warn("the path between " + std::to_string(missing) + " pairs of GPUs is not told (output cut off?)");
  }

  ReadContext& context_;
  std::vector<Title> titles_;
  std::vector<std::vector<std::string_view>> rows_;
  std::set<std::string> seen_;
};

}  // namespace

SmiTable parse_smi_table(std::string_view text, ReadContext& context) { return TableParser(text, context).run(); }

}  // namespace treering::topology
