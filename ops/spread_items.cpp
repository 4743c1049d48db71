#include "ops/spread_items.h"

#include <algorithm>
#include <map>
#include <utility>

namespace treering::ops {

namespace {

struct Source {
  int rank = 0;
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
};

std::vector<Source> sources_of(const BatchShape& shape) {
  if (shape.kind == OperationKind::broadcast) return {{shape.root, 0, shape.bytes}};
  std::vector<Source> sources;
  std::uint64_t begin = 0;
  for (std::size_t rank = 0; rank < shape.gather_bytes.size(); ++rank) {
    const std::uint64_t bytes = shape.gather_bytes[rank];
    if (bytes > 0) sources.push_back({static_cast<int>(rank), begin, bytes});
    begin += bytes;
  }
  return sources;
}

Place place_of_rank(const topology::Plan& plan, int rank) {
  for (std::size_t node = 0; node < plan.nodes.size(); ++node) {
    const std::vector<int>& ranks = plan.nodes[node].ranks;
    const auto found = std::ranges::lower_bound(ranks, rank);
    if (found != ranks.end() && *found == rank)
      return {static_cast<int>(node), static_cast<int>(found - ranks.begin())};
  }
  return {};
}

}  // namespace

std::vector<int> first_members(const topology::NodePlan& node) {
  std::vector<int> first;
  for (std::size_t member = 0; member < node.ranks.size(); ++member)
    if (member == 0 || node.ranks[member] != node.ranks[member - 1]) first.push_back(static_cast<int>(member));
  return first;
}

int relay_of(const topology::Plan& plan, int node, int source) {
  const std::vector<int> first = first_members(plan.nodes[static_cast<std::size_t>(node)]);
  return first[static_cast<std::size_t>(source) % first.size()];
}

std::vector<SpreadItem> spread_items(const topology::Plan& plan, const BatchShape& shape, std::uint64_t chunk,
                                     int node) {
  const int nodes = static_cast<int>(plan.nodes.size());
  struct Held {
    std::uint64_t chunks = 0;
    std::uint64_t sent = 0;
  };
  std::map<std::pair<bool, int>, Held> held;
  std::vector<SpreadItem> items;
  for (const Source& source : sources_of(shape)) {
    const Place place = place_of_rank(plan, source.rank);
    const int distance = (node - place.node + nodes) % nodes;
    const int holder = distance == 0 ? place.member : relay_of(plan, node, source.rank);
    const std::uint64_t chunks = (source.bytes + chunk - 1) / chunk;
    Held& before = held[{distance > 0, holder}];
    const bool sent = distance + 1 < nodes;
    items.push_back(
        {source.rank, distance, holder, source.begin, source.bytes, chunks, before.chunks, before.sent, sent});
    before.chunks += chunks;
    if (sent) before.sent += chunks;
  }
  return items;
}

}  // namespace treering::ops
