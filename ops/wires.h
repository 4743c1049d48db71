#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "ops/machine.h"
#include "ops/reservations.h"

namespace treering::ops {

/// What passed over one link in one direction. On the network `node` is -1, and the others are nodes or -1: `to` -1 for
/// what a node sends, `from` -1 for what it receives.
struct LinkUse {
  int node = 0;
  int from = 0;
  int to = 0;
  std::uint64_t bytes = 0;
  Nanoseconds busy = 0;
};

/// All links of a job in time. A transfer goes through the links of its way cut-through; transfers take a link in turn.
class Wires {
 public:
  explicit Wires(const Machine& machine);

  /// When `bytes` that may leave at `from_time` have arrived, or -1 if there is no way. Of several ways it takes the
  /// one whose busiest link was busy least so far.
  Nanoseconds carry(int node, int from, int to, std::uint64_t bytes, Nanoseconds from_time);
  /// The same between nodes.
  Nanoseconds send(int from_node, int to_node, std::uint64_t bytes, Nanoseconds from_time);

  /// Links that were used, by node, from and to.
  std::vector<LinkUse> uses() const;

 private:
  struct Link {
    double bytes_per_second = 0;
    Reservations times;
    std::uint64_t bytes = 0;
    Nanoseconds busy = 0;
  };
  using Key = std::tuple<int, int, int>;
  using Way = std::vector<Link*>;

  void add_ways(int node, const NodeLinks& links, double unit);
  static Nanoseconds pass(const Way& way, std::uint64_t bytes, Nanoseconds from_time);

  std::map<Key, Link> links_;
  std::map<Key, std::vector<Way>> ways_;
};

}  // namespace treering::ops
