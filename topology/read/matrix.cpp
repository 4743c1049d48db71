#include <algorithm>
#include <set>

#include "base/parse_value.h"
#include "topology/read/context.h"
#include "topology/read/text_scan.h"

namespace treering::topology {
namespace {

using Matrix = std::vector<std::vector<std::int64_t>>;
constexpr std::size_t most_rows = 128;

std::vector<std::int64_t> row_of(std::string line, std::size_t number) {
  std::replace(line.begin(), line.end(), ',', ' ');
  std::vector<std::int64_t> row;
  for (const std::string_view word : words_of(line)) {
    const auto value = to_integer(word, -1, HardwareGraph::most_count);
    if (!value)
      throw Unreadable("line " + std::to_string(number) + " of the matrix has " + quoted(word) +
                       ", expected whole numbers up to " + std::to_string(HardwareGraph::most_count));
    row.push_back(*value);
    if (row.size() > most_rows) throw Unreadable("a matrix of more than " + std::to_string(most_rows) + " devices");
  }
  return row;
}

Matrix parse(std::string_view text) {
  Matrix matrix;
  for (std::string_view line : lines_of(text)) {
    line = trimmed(line.substr(0, line.find('#')));
    if (!line.empty()) matrix.push_back(row_of(std::string(line), matrix.size() + 1));
    if (matrix.size() > most_rows) throw Unreadable("a matrix of more than " + std::to_string(most_rows) + " devices");
  }
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    if (matrix[i].size() == matrix.size()) continue;
    throw Unreadable("line " + std::to_string(i + 1) + " of the matrix has " + std::to_string(matrix[i].size()) +
                     " numbers, but there are " + std::to_string(matrix.size()) + " lines");
  }
  return matrix;
}

/// Ranks become weights 1, 2, ... from the worst rank to the best, because a rank is an order and nothing more. No peer
/// access (-1) becomes 0.
void weights_from_ranks(Matrix& matrix, bool lower_is_better) {
  std::set<std::int64_t> ranks;
  for (std::size_t i = 0; i < matrix.size(); ++i)
    for (std::size_t j = 0; j < matrix.size(); ++j)
      if (i != j && matrix[i][j] >= 0) ranks.insert(matrix[i][j]);
  for (auto& row : matrix) {
    for (std::int64_t& entry : row) {
      if (entry < 0) {
        entry = 0;
        continue;
      }
      const auto below = static_cast<std::int64_t>(std::distance(ranks.begin(), ranks.lower_bound(entry)));
      entry = lower_is_better ? static_cast<std::int64_t>(ranks.size()) - below : below + 1;
    }
  }
}

void warn_about(const Matrix& matrix, ReadContext& context) {
  bool symmetric = true, diagonal = false;
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    diagonal = diagonal || matrix[i][i] > 0;
    for (std::size_t j = 0; j < i; ++j) symmetric = symmetric && matrix[i][j] == matrix[j][i];
  }
  if (diagonal && context.options().matrix == ReadOptions::Matrix::links)
    context.warn("the matrix links devices with themselves; its diagonal is ignored");
  if (!symmetric) context.warn("the matrix is not symmetric: links are taken as directed, from the row to the column");
}

}  // namespace

void read_matrix(std::string_view text, ReadContext& context) {
  Matrix matrix = parse(text);
  warn_about(matrix, context);
  const ReadOptions::Matrix meaning = context.options().matrix;
  if (meaning != ReadOptions::Matrix::links) {
    weights_from_ranks(matrix, meaning == ReadOptions::Matrix::rank);
    context.graph().count_unit = "weight";
    context.warn("performance ranks only order links: what is planned here are weights, not speeds");
  }
  const int stated = context.stated();
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    HardwareNode node;
    node.kind = NodeKind::gpu;
    node.name = "GPU" + std::to_string(i);
    node.number = static_cast<int>(i);
    node.found = stated;
    context.graph().add_node(std::move(node));
  }
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    for (std::size_t j = 0; j < matrix.size(); ++j) {
      if (i == j || matrix[i][j] == 0) continue;
      if (matrix[i][j] < 0)
        throw Unreadable("a negative number of links in line " + std::to_string(i + 1) + " of the matrix");
      HardwareLink link;
      link.from = static_cast<int>(i);
      link.to = static_cast<int>(j);
      link.count = static_cast<int>(matrix[i][j]);
      link.capacity = link.count * context.options().link_speed;
      link.found = stated;
      link.speed = link.capacity > 0 ? context.assumed("speed per link as told") : stated;
      context.graph().add_link(link);
    }
  }
}

}  // namespace treering::topology
