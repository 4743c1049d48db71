#include "ops/cross_schedule.h"

#include <algorithm>

namespace treering::ops {

namespace {

int modulo(int value, int modulus) { return (value % modulus + modulus) % modulus; }

// Ring: chunk k starts at node k + 1, ends at node k. Chain: starts at node 0, ends at node N - 1.
std::vector<Turn> turns_of(CrossOrder order, int nodes, int node, bool of_result) {
  if (order == CrossOrder::chain) return {{0, of_result ? (node + 1) % nodes : node}};
  std::vector<Turn> turns;
  for (int position = 0; position < nodes; ++position)
    turns.push_back({modulo(node - position - (of_result ? 0 : 1), nodes), position});
  return turns;
}

}  // namespace

Series::Series(const std::vector<Turn>& turns, int unroll, const std::function<bool(const Turn&)>& happens)
    : unroll_(unroll), ordinal_(static_cast<std::size_t>(unroll), -1) {
  for (const Turn& turn : turns)
    if (happens(turn)) ordinal_[static_cast<std::size_t>(turn.chunk_class)] = per_group_++;
}

bool Series::is_covered(int chunk_class) const {
  const auto own = ordinal_.begin() + chunk_class;
  return std::any_of(ordinal_.begin(), own, [&](int ordinal) { return ordinal > *own; });
}

Progression Series::value(int chunk_class, std::int64_t lag) const {
  const int ordinal = ordinal_[static_cast<std::size_t>(chunk_class)];
  return {ordinal + 1 - lag * per_group_, per_group_};
}

std::int64_t Series::last(std::uint64_t chunks) const {
  std::int64_t greatest = 0;
  for (int chunk_class = 0; chunk_class < unroll_; ++chunk_class) {
    if (!has(chunk_class) || chunks <= static_cast<std::uint64_t>(chunk_class)) continue;
    const std::uint64_t group = (chunks - 1 - static_cast<std::uint64_t>(chunk_class)) / static_cast<unsigned>(unroll_);
    greatest = std::max(greatest, value(chunk_class).at(group));
  }
  return greatest;
}

CrossSchedule::CrossSchedule(CrossOrder order, int the_nodes, int node)
    : nodes(the_nodes),
      unroll(order == CrossOrder::ring ? the_nodes : 1),
      reduce(turns_of(order, the_nodes, node, false)),
      result(turns_of(order, the_nodes, node, true)),
      partial_sent(reduce, unroll, [&](const Turn& turn) { return turn.position < the_nodes - 1; }),
      partial_received(reduce, unroll, [](const Turn& turn) { return turn.position > 0; }),
      result_sent(result, unroll, [&](const Turn& turn) { return turn.position < the_nodes - 1; }),
      result_received(result, unroll, [](const Turn& turn) { return turn.position > 0; }) {}

int CrossSchedule::finished_class() const {
  for (const Turn& turn : result)
    if (turn.position == 0) return turn.chunk_class;
  return -1;
}

}  // namespace treering::ops
