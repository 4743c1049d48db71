#include "topology/build/canonical_order.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace treering::topology {

namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

constexpr int leaf_budget = 600;

using Classes = std::vector<int>;  ///< per vertex: number of the class, by order

/// Number of each row among the sorted distinct rows.
Classes ranks_of(const std::vector<std::vector<std::int64_t>>& rows) {
  std::vector<std::vector<std::int64_t>> sorted = rows;
  std::ranges::sort(sorted);
  sorted.erase(std::ranges::unique(sorted).begin(), sorted.end());
  Classes result;
  for (const auto& row : rows)
    result.push_back(static_cast<int>(std::ranges::lower_bound(sorted, row) - sorted.begin()));
  return result;
}

class Search {
 public:
  Search(const LinkGraph& graph, const std::vector<int>& colour) : graph_(graph) {
    std::vector<std::vector<std::int64_t>> rows;
    for (int vertex = 0; vertex < graph.vertices; ++vertex)
      rows.push_back({vertex < graph.members ? 0 : 1, colour.empty() ? 0 : colour[index(vertex)]});
    descend(refined(ranks_of(rows)));
  }

  std::vector<int> order() const { return best_; }

 private:
  /// Splits classes by the capacities that lead to and from each other class until nothing splits.
  Classes refined(Classes classes) const {
    while (true) {
      std::vector<std::vector<std::int64_t>> rows;
      for (int vertex = 0; vertex < graph_.vertices; ++vertex) {
        std::vector<std::array<std::int64_t, 3>> links;
        for (int other = 0; other < graph_.vertices; ++other)
          if (other != vertex && (graph_.at(vertex, other) != 0 || graph_.at(other, vertex) != 0))
            links.push_back({classes[index(other)], graph_.at(vertex, other), graph_.at(other, vertex)});
        std::ranges::sort(links);
        std::vector<std::int64_t> row{classes[index(vertex)]};
        for (const auto& link : links) row.insert(row.end(), link.begin(), link.end());
        rows.push_back(std::move(row));
      }
      Classes next = ranks_of(rows);
      if (next == classes) return classes;
      classes = std::move(next);
    }
  }

  void descend(const Classes& classes) {
    std::vector<std::vector<int>> members(index(*std::ranges::max_element(classes)) + 1);
    for (int vertex = 0; vertex < graph_.vertices; ++vertex) members[index(classes[index(vertex)])].push_back(vertex);
    const auto ambiguous = std::ranges::find_if(members, [](const auto& list) { return list.size() > 1; });
    if (ambiguous == members.end()) return finish(classes);
    for (std::size_t i = 0; i < ambiguous->size(); ++i) {
      if (i > 0 && leaves_ >= leaf_budget) return;
      const int chosen = (*ambiguous)[i];
      if (std::any_of(ambiguous->begin(), ambiguous->begin() + static_cast<std::ptrdiff_t>(i),
                      [&](int earlier) { return twins(earlier, chosen); }))
        continue;
      Classes single = classes;
      for (int& number : single) number *= 2;
      --single[index(chosen)];
      descend(refined(ranks_of(as_rows(single))));
    }
  }

  static std::vector<std::vector<std::int64_t>> as_rows(const Classes& classes) {
    std::vector<std::vector<std::int64_t>> rows;
    for (const int number : classes) rows.push_back({number});
    return rows;
  }

  /// Whether exchanging the two changes nothing.
  bool twins(int a, int b) const {
    if (graph_.at(a, b) != graph_.at(b, a)) return false;
    for (int other = 0; other < graph_.vertices; ++other)
      if (other != a && other != b &&
          (graph_.at(a, other) != graph_.at(b, other) || graph_.at(other, a) != graph_.at(other, b)))
        return false;
    return true;
  }

  void finish(const Classes& classes) {
    ++leaves_;
    std::vector<int> order(index(graph_.vertices));
    for (int vertex = 0; vertex < graph_.vertices; ++vertex) order[index(classes[index(vertex)])] = vertex;
    std::vector<std::int64_t> matrix = reordered(graph_, order).capacity;
    if (!best_.empty() && matrix >= best_matrix_) return;
    best_ = std::move(order);
    best_matrix_ = std::move(matrix);
  }

  const LinkGraph& graph_;
  int leaves_ = 0;
  std::vector<int> best_;
  std::vector<std::int64_t> best_matrix_;
};

}  // namespace

std::vector<int> canonical_order(const LinkGraph& graph, const std::vector<int>& colour) {
  return Search(graph, colour).order();
}

LinkGraph reordered(const LinkGraph& graph, const std::vector<int>& order) {
  LinkGraph result(graph.members, graph.vertices);
  result.unit = graph.unit;
  result.bytes_per_second = graph.bytes_per_second;
  for (int row = 0; row < graph.vertices; ++row)
    for (int column = 0; column < graph.vertices; ++column)
      result.at(row, column) = graph.at(order[index(row)], order[index(column)]);
  return result;
}

}  // namespace treering::topology
