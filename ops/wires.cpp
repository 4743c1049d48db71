#include "ops/wires.h"

#include <algorithm>
#include <cmath>

namespace treering::ops {

Wires::Wires(const Machine& machine) {
  for (std::size_t node = 0; node < machine.nodes.size(); ++node) {
    const NodeLinks& links = machine.nodes[node];
    const double known = links.graph.bytes_per_second;
    add_ways(static_cast<int>(node), links, known > 0 ? known : machine.inside.unit_bytes_per_second);
  }
  if (machine.network_bytes_per_second <= 0) return;
  for (int node = 0; node < std::ssize(machine.nodes); ++node)
    for (const Key& key : {Key{-1, node, -1}, Key{-1, -1, node}})
      links_[key].bytes_per_second = machine.network_bytes_per_second;
}

void Wires::add_ways(int node, const NodeLinks& links, double unit) {
  for (const auto& [ends, routes] : links.routes)
    for (const Route& route : routes) {
      Way way;
      for (std::size_t hop = 1; hop < route.size(); ++hop) {
        Link& link = links_[{node, route[hop - 1], route[hop]}];
        link.bytes_per_second = static_cast<double>(links.graph.at(route[hop - 1], route[hop])) * unit;
        way.push_back(&link);
      }
      const bool open = std::ranges::all_of(way, [](const Link* link) { return link->bytes_per_second > 0; });
      if (open) ways_[{node, ends.first, ends.second}].push_back(std::move(way));
    }
}

Nanoseconds Wires::carry(int node, int from, int to, std::uint64_t bytes, Nanoseconds from_time) {
  const auto found = ways_.find({node, from, to});
  if (found == ways_.end()) return -1;
  const auto busiest = [](const Way& way) {
    return std::ranges::max(way, {}, [](const Link* link) { return link->busy; })->busy;
  };
  return pass(*std::ranges::min_element(found->second, {}, busiest), bytes, from_time);
}

Nanoseconds Wires::send(int from_node, int to_node, std::uint64_t bytes, Nanoseconds from_time) {
  const auto out = links_.find({-1, from_node, -1}), in = links_.find({-1, -1, to_node});
  if (out == links_.end() || in == links_.end()) return -1;
  return pass({&out->second, &in->second}, bytes, from_time);
}

// A link begins when the one before it has begun, and ends no earlier than that one.
Nanoseconds Wires::pass(const Way& way, std::uint64_t bytes, Nanoseconds from_time) {
  TimeSpan whole{from_time, from_time};
  for (Link* link : way) {
    const Nanoseconds amount = std::llround(static_cast<double>(bytes) / link->bytes_per_second * 1e9);
    const TimeSpan own = link->times.reserve(whole.begin, amount);
    whole = {own.begin, std::max(whole.end, own.end)};
    link->bytes += bytes;
    link->busy += amount;
  }
  return whole.end;
}

std::vector<LinkUse> Wires::uses() const {
  std::vector<LinkUse> uses;
  for (const auto& [key, link] : links_) {
    const auto [node, from, to] = key;
    if (link.bytes > 0) uses.push_back({node, from, to, link.bytes, link.busy});
  }
  return uses;
}

}  // namespace treering::ops
